import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConnectorImportPlan } from '../../../src/shared/contract/connector-imports.ts'
import type { Connector } from '../../../src/shared/contract/connectors.ts'
import { readCurl, restStepOf } from '../src/index.ts'
import {
  createCurlRunner,
  startSeeingServer,
  type SeeingServer,
  type SeenRequest,
} from '../../../test/helpers/curl-beside.ts'
import { sharedChecks } from '../../../test/helpers/shared-checks.ts'
import { startTestApp, type TestApp } from '../../../test/helpers/test-app.ts'
import { COMMANDS } from './commands.ts'
import { onPosix } from '../../../test/helpers/platform.ts'

const ENV = { TOKEN: 'a-token', WORD: 'a b&c', ID: '17' }
const folder = sharedChecks('curl')
const ABSENT = '(skipped: curl and bash, or the folder of commands, are not here)'

interface Outcome {
  readonly seen: readonly SeenRequest[]
  /** Whether no part of it is a placeholder. */
  readonly isWhole: boolean
  readonly isNamed: boolean
}

async function startBoth() {
  const app = await startTestApp()
  for (const [name, value] of Object.entries(ENV))
    await app.call('POST', '/v1/env-variables', { name, type: 'text', value })
  const server = await startSeeingServer()
  return { app, server, runCurl: createCurlRunner(server.port, ENV) }
}

/** Runs steps in a flow, each regardless of how the previous ones ended. */
async function runSteps(app: TestApp, command: string, steps: readonly object[]): Promise<void> {
  if (steps.length === 0) return
  const made = await app.call('POST', '/v1/flows', { name: 'From curl', steps })
  expect({ command, text: made.status === 201 ? '' : made.text }).toEqual({ command, text: '' })
  const run = await app.call('POST', `/v1/flows/${(made.json as { id: string }).id}/run?wait=true`, {})
  expect({ command, status: run.status }).toEqual({ command, status: 200 })
}

async function sentBySteps(app: TestApp, server: SeeingServer, command: string): Promise<Outcome> {
  const { requests = [], leftOut = [] } = readCurl(command) ?? {}
  const steps = requests.map((request, index) => {
    const { config } = restStepOf(request)
    const url = String(config['url']).replace(/^http:\/\/(?:[^@/?#{}]*@)?[^/?#]*/, (origin) =>
      origin.replace(/[^@/]*$/, `127.0.0.1:${server.port}`),
    )
    const own = { ...config, url, fail_on_error: false }
    return { ref_id: `step${index}`, type: 'rest', on_error: 'continue', config: own }
  })
  await runSteps(app, command, steps)
  const isWhole = !JSON.stringify(steps).includes('not_imported(')
  return { seen: server.take(), isWhole, isNamed: leftOut.length > 0 }
}

async function sentByActions(app: TestApp, server: SeeingServer, command: string): Promise<Outcome> {
  const planned = await app.call('POST', '/v1/connectors/import/plan', { source: command })
  if (planned.status !== 200) return { seen: [], isWhole: true, isNamed: planned.status === 400 }
  const { file, left_out } = planned.json as ConnectorImportPlan
  const connector = { ...file.connector, base_domain: `http://127.0.0.1:${server.port}` }
  const made = await app.call('POST', '/v1/connectors/import', { ...file, connector })
  expect({ command, text: made.status === 201 ? '' : made.text }).toEqual({ command, text: '' })
  const { id } = made.json as Connector
  const steps = file.actions.map(({ name, ui_form_schema: form = [] }, index) => ({
    ref_id: `step${index}`,
    type: 'connector_action',
    on_error: 'continue',
    config: {
      connector_id: id,
      action: name,
      input: Object.fromEntries(
        form.flatMap(({ name: field }) => (typeof field === 'string' ? [[field, `{{ ${field} }}`]] : [])),
      ),
    },
  }))
  await runSteps(app, command, steps)
  const isWhole = !JSON.stringify(file).includes('not_imported(')
  return { seen: server.take(), isWhole, isNamed: left_out.length > 0 }
}

const LINES_OF_ONE_NAME = (lines: readonly string[]): string[] => {
  const values = new Map<string, string[]>()
  for (const line of lines) {
    const at = line.indexOf(': ')
    values.set(line.slice(0, at), [...(values.get(line.slice(0, at)) ?? []), line.slice(at + 2)])
  }
  return [...values].map(([name, all]) => `${name}: ${all.join(', ')}`)
}

/** An action imports no credentials, and has one line for each header. */
const withoutCredentials = (seen: readonly SeenRequest[]) =>
  seen.map((request) => ({
    ...request,
    headers: LINES_OF_ONE_NAME(request.headers.filter((line) => !/^(?:authorization|cookie):/.test(line))),
  }))

const isSame = (a: readonly SeenRequest[], b: readonly SeenRequest[]) =>
  JSON.stringify(a) === JSON.stringify(b)

test.runIf(onPosix)('steps send what curl sends, or have a placeholder', { timeout: 120_000 }, async () => {
  const { app, server, runCurl } = await startBoth()
  const differing: unknown[] = []
  for (const [command, expected = 'the same'] of COMMANDS) {
    const step = await sentBySteps(app, server, command)
    const action = await sentByActions(app, server, command)
    await runCurl(command)
    const byCurl = server.take()
    const outcome = !step.isWhole
      ? 'a placeholder'
      : isSame(step.seen, byCurl) && (byCurl.length > 0 || step.isNamed)
        ? 'the same'
        : 'different'
    if (outcome !== expected) differing.push({ command, outcome, step, byCurl })
    const isActionSame = isSame(withoutCredentials(action.seen), withoutCredentials(byCurl))
    if (action.isWhole ? !isActionSame : !action.isNamed) differing.push({ command, action, byCurl })
  }
  expect(differing).toEqual([])
})

test.runIf(folder !== undefined)(
  `commands of public documentation are sent as curl sends them, or name what is missing ${folder ? '' : ABSENT}`,
  { timeout: 120_000 },
  async () => {
    const { app, server, runCurl } = await startBoth()
    const cases = JSON.parse(readFileSync(join(folder as string, 'commands.json'), 'utf8')) as [
      string,
      string,
    ][]
    const differing: unknown[] = []
    let named = 0
    for (const [from, original] of cases) {
      if (/^(?:win-|powershell)/.test(from)) continue // bash cannot run them
      // Only requests without TLS reach the server.
      const command = original.replaceAll(/https:\/\//gi, 'http://').replaceAll(/\$[A-Z_]+/g, '$TOKEN')
      const { seen, isWhole, isNamed } = await sentBySteps(app, server, command)
      await runCurl(command)
      const byCurl = server.take()
      if (!isWhole || (seen.length === 0 && isNamed)) named += 1
      else if (!isSame(seen, byCurl)) differing.push({ from, command, seen, byCurl })
    }
    expect(differing).toEqual([])
    // Commands with files, proxies or client certificates aren't sent, nor are rejected ones. All others are.
    expect(named / cases.length).toBeLessThan(0.25)
  },
)
