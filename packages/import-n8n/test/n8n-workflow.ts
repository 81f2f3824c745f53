/** Workflows as n8n's editor saves them. */
import { englishOf } from '@millrace/jinja/said'
import { RESERVED_REFS } from '../../../src/shared/contract/steps.ts'
import { importN8n as importWith } from '../src/index.ts'
import { createScripts } from '../../../src/main/services/reaching/step-ports/run-scripts.ts'
import { data, runSteps, type TestRunOptions } from '../../../test/helpers/flow-run.ts'

export type Json = Record<string, unknown>

export interface NodeLike {
  readonly name: string
  readonly type: string
  readonly typeVersion?: number
  readonly parameters?: Json
  readonly [key: string]: unknown
}

/**
 * A workflow as n8n's editor saves it. `ways` are like `From -> To`, or `From:1 -> To:0` for other outputs
 * and inputs.
 */
export function aWorkflow(nodes: readonly NodeLike[], ways: readonly string[], more: Json = {}): Json {
  const connections: Record<string, { main: { node: string; type: 'main'; index: number }[][] }> = {}
  for (const way of ways) {
    const [, from = '', output = '0', to = '', input = '0'] =
      /^(.*?)(?::(\d))? -> (.*?)(?::(\d))?$/.exec(way) ?? []
    const { main } = (connections[from] ??= { main: [] })
    while (main.length <= Number(output)) main.push([])
    main[Number(output)]?.push({ node: to, type: 'main', index: Number(input) })
  }
  return {
    name: 'From elsewhere',
    nodes: nodes.map(({ type, parameters = {}, ...node }, at) => ({
      id: `id-${at}`,
      typeVersion: 1,
      position: [at * 200, 0],
      parameters,
      ...node,
      type: type.includes('.') ? type : `n8n-nodes-base.${type}`,
    })),
    connections,
    active: false,
    settings: { executionOrder: 'v1' },
    pinData: {},
    ...more,
  }
}

export const hook = {
  name: 'Webhook',
  type: 'webhook',
  typeVersion: 2,
  parameters: { httpMethod: 'POST', path: 'abc', options: {} },
}
export const set = (name: string, fields: Json, more: Json = {}): NodeLike => ({
  name,
  type: 'set',
  typeVersion: 3.4,
  parameters: {
    assignments: {
      assignments: Object.entries(fields).map(([key, value]) => ({
        id: key,
        name: key,
        value,
        type: typeof value,
      })),
    },
    options: {},
    ...more,
  },
})

export const codeOf = (name: string, jsCode: string): NodeLike => ({
  name,
  type: 'code',
  typeVersion: 2,
  parameters: { jsCode },
})

/** Imports workflows as Millrace does. */
export const importN8n = (value: unknown) => importWith(value, { reservedNames: RESERVED_REFS })

/**
 * Imports a workflow and runs its first flow with real scripts. Returns the result of its last node, and each
 * step by its name.
 */
export async function runImported(workflow: Json, input: Json = {}, options: TestRunOptions = {}) {
  const imported = importN8n(JSON.parse(JSON.stringify(workflow)))
  if (imported === null) throw new Error('It was not read')
  const [flow] = imported.flows
  const run = await runSteps(flow?.steps ?? [], {
    ...options,
    input: data(input) as never,
    ports: { runScript: scripts.run, ...options.ports },
  })
  return {
    error: run.error?.message ?? null,
    results: (run.results ?? {}) as Json,
    ran: run.ran,
    notes: imported.notes.map(({ node, message }) => `${node}: ${englishOf(message)}`),
    flow,
  }
}

/** The idle threads of the sandbox end by themselves. */
const scripts = createScripts()
