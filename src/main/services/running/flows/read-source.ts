/** Reads flows from a string: Millrace's current or former format, a sample, or n8n workflows. */
import { say, type Said, spoken } from '../../../../shared/contract/base/message.ts'
import { z } from 'zod'
import { labels, nonEmptyText, text } from '../../../../shared/contract/base/common.ts'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'
import {
  type FlowFile,
  flowFile,
  type FlowImportPlan,
  type FlowInFile,
  flowSetup,
} from '../../../../shared/contract/flow-files.ts'
import { sampleRequest } from '../../../../shared/contract/flow-samples.ts'
import { flowSettings } from '../../../../shared/contract/flows.ts'
import { RESERVED_REFS, type Step, step } from '../../../../shared/contract/steps.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { type Data, JsonError, OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import { checkFlow } from '../../../engine/flow/definition/check-flow.ts'
import { visitSteps } from '../../../engine/flow/definition/walk-steps.ts'
import { IMPORT_LIMITS, isRecord } from '../../../engine/imports/plain.ts'
import { NAMES_OF_ALL_FLOWS } from './flow-steps.ts'

export interface ReadSource {
  readonly format: FlowImportPlan['source_format']
  readonly file: FlowFile
  readonly notes: FlowImportPlan['notes']
}

/** @throws AppError `validation` if it has none of these formats, or is invalid */
export async function readSource(source: string): Promise<ReadSource> {
  const value = withoutSchema(parsed(source))
  if (isRecord(value) && value['format'] === 'millrace-flow')
    return { format: 'millrace', file: withoutAuths(parseInput(flowFile, value, 'source')), notes: [] }
  if (isRecord(value) && Array.isArray(value['steps']))
    return {
      format: 'millrace',
      file: withoutAuths(fileOfSample(parseInput(oneFlow, value, 'source'))),
      notes: [],
    }
  // Loaded on demand: startup doesn't need it or acorn.
  const { importN8n } = await import('@millrace/import-n8n')
  const n8n = importN8n(plainJson(source), {
    reservedNames: RESERVED_REFS,
    findProblems: problemsOfImported,
  })
  if (n8n === null)
    throw fieldErrors({
      source: [say("isn't a Millrace flow or an n8n workflow. {{guess}}", { guess: guess(value) })],
    })
  const flows = n8n.flows.map(({ timeout_seconds: timeout, ...flow }, at) => ({
    ...flow,
    id: idInFile(at),
    settings: timeout === null ? {} : { timeout_seconds: timeout },
  }))
  const setup = { env_variables: n8n.variables.map((name) => ({ name, type: 'text' as const, value: '' })) }
  const file = parseInput(flowFile, { format: 'millrace-flow', version: 1, flows, setup }, 'source')
  const holder = new Map(
    file.flows.flatMap((flow) => [...eachStep(flow.steps)].map((one) => [one.ref_id, flow.name])),
  )
  const notes = n8n.notes.map(({ message, ...note }) => ({
    ...note,
    ...spoken(message),
    flow: holder.get(note.ref_id ?? '') ?? file.flows[0]?.name ?? '',
  }))
  return { format: 'n8n', file, notes }
}

/** A file's reference to its schema is for editors. */
function withoutSchema(value: unknown): unknown {
  if (!isRecord(value) || !('$schema' in value)) return value
  const { $schema: _, ...rest } = value
  return rest
}

/**
 * Finds the problems that saving would find, apart from references to records, which don't keep a flow from being
 * saved.
 */
function problemsOfImported(steps: readonly unknown[], variables: readonly string[]) {
  const read = z.array(step).parse(steps)
  const { errors } = checkFlow(read, {
    envNames: new Set([...variables, ...NAMES_OF_ALL_FLOWS]),
    toleratedSteps: new Set([...eachStep(read)].map((one) => `${one.ref_id}/${one.type}`)),
    hasConnector: () => false,
    findAction: () => null,
    findPlugin: () => null,
    paginationOf: () => null,
    connectorOfAuth: () => null,
    needsAuth: () => false,
  })
  return errors.map(({ refId, path, reason }) => ({
    refId,
    problem: say('"{{field}}" {{rest}}', {
      field: path.slice(Math.max(0, path.indexOf('config'))),
      rest: reason,
    }),
  }))
}

/** A flow that the main flow refers to in its settings. */
const otherFlow = z.strictObject({
  name: nonEmptyText(200),
  description: text(20_000),
  steps: z.array(step),
})

/** A sample's file, or a flow that was exported on its own. */
export const oneFlow = z.strictObject({
  name: nonEmptyText(200),
  description: text(20_000).default(''),
  teaches: text(2_000).default(''),
  tags: labels.default([]),
  settings: flowSettings.partial().default({}),
  setup: flowSetup
    .extend({ error_flow: otherFlow.optional(), alarm_flow: otherFlow.optional() })
    .default({ env_variables: [], connector_auths: [], data_tables: [] }),
  sample_request: sampleRequest.nullable().default(null),
  steps: z.array(step),
})
export type OneFlow = z.output<typeof oneFlow>

export function fileOfSample({ name, description, tags, settings, steps, setup }: OneFlow): FlowFile {
  const { error_flow: handler, alarm_flow: alarmed, ...rest } = setup
  const { error_handling_flow_id: _, alarms, ...others } = settings
  const main: FlowInFile = {
    id: idInFile(0),
    name,
    description,
    tags,
    settings: {
      ...others,
      ...(handler && { error_handling_flow_id: idInFile(1) }),
      ...(alarms && { alarms: { ...alarms, flow_id: alarmed ? idInFile(2) : null } }),
    },
    steps,
  }
  const flows = [
    main,
    ...(handler ? [{ ...handler, id: idInFile(1), tags, settings: {} }] : []),
    ...(alarmed ? [{ ...alarmed, id: idInFile(2), tags, settings: {} }] : []),
  ]
  return { format: 'millrace-flow', version: 1, flows, references: { connectors: [] }, setup: rest }
}

/** A placeholder id. */
function idInFile(at: number): string {
  return `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`
}

/** Credentials aren't imported, whatever the file says. */
function withoutAuths(file: FlowFile): FlowFile {
  for (const { steps } of file.flows) for (const one of eachStep(steps)) dropAuths(one)
  return file
}

export function dropAuths({ config }: Step): boolean {
  const had = Boolean(config['auth_id'] || config['dynamic_auth_id'])
  if (typeof config['auth_id'] === 'string' && !config['auth_id'].includes('{{')) delete config['auth_id']
  if (typeof config['dynamic_auth_id'] === 'string' && !config['dynamic_auth_id'].includes('{{'))
    delete config['dynamic_auth_id']
  return had
}

function parsed(source: string): unknown {
  try {
    return parseJson(source, { maxValues: IMPORT_LIMITS.maxValues })
  } catch (error) {
    if (error instanceof JsonError)
      throw fieldErrors({
        source: [
          say(
            "must be a Millrace flow or an n8n workflow in JSON, but isn't valid JSON in line {{line}}, column {{column}}: {{problem}}",
            { line: error.line, column: error.column, problem: error.problem },
          ),
        ],
      })
    throw error
  }
}

/**
 * Parses to plain objects, because neither large numbers nor the order of keys matter in n8n's files. The source was
 * validated before.
 */
const plainJson = (source: string): unknown => JSON.parse(source.replace(/^\uFEFF/, '')) as unknown

function guess(value: unknown): Said {
  if (isRecord(value) && value['format'] === 'millrace-connector')
    return say('It is a connector; import it on the Connectors screen')
  if (isRecord(value) && Array.isArray(value['flow']) && Array.isArray(value['modules']))
    return say('It looks like a Make scenario')
  return Array.isArray(value) && value.some((one) => isRecord(one) && typeof one['wires'] === 'object')
    ? say("It looks like a Node-RED flow, which isn't supported")
    : say('Expected a JSON object with "name" and "steps", or with "nodes" and "connections"')
}

/** Every step of a flow, including nested ones. */
export function* eachStep(steps: readonly Step[]): Generator<Step> {
  for (const { step } of visitSteps(steps)) yield step
}

/** A mutable copy. Steps were parsed from JSON, so they are data; the compiler can't infer that. */
export function copyOf(steps: readonly Step[]): Step[] {
  return parseJson(writeJson(steps as unknown as Data), OWN_JSON_LIMITS) as unknown as Step[]
}

/** A string in a step's config; empty if it isn't one. */
export function textIn({ config }: Step, key: string): string {
  const held = config[key]
  return typeof held === 'string' ? held : ''
}
