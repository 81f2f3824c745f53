/** What a text holds: a flow as Millrace writes it, as it once did, one of its samples, or workflows of n8n. */
import { z } from 'zod'
import { labels, nonEmptyText, text } from '../../../shared/contract/base/common.ts'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import {
  type FlowFile,
  flowFile,
  type FlowImportPlan,
  type FlowInFile,
  flowSetup,
} from '../../../shared/contract/flow-files.ts'
import { sampleRequest } from '../../../shared/contract/flow-samples.ts'
import { flowSettings } from '../../../shared/contract/flows.ts'
import { type Step, step } from '../../../shared/contract/steps.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import { JsonError, OWN_JSON_LIMITS, parseJson, writeJson } from '../../engine/data/json.ts'
import type { Data } from '../../engine/data/value.ts'
import { visitSteps } from '../../engine/flow/definition/walk-steps.ts'
import { IMPORT_LIMITS, isRecord } from '../../engine/imports/plain.ts'

export interface ReadSource {
  readonly format: FlowImportPlan['source_format']
  readonly file: FlowFile
  readonly notes: FlowImportPlan['notes']
}

/** @throws AppError `validation` where it is none of them, or one with mistakes */
export async function readSource(source: string): Promise<ReadSource> {
  const value = parsed(source)
  if (isRecord(value) && value['format'] === 'millrace-flow')
    return { format: 'millrace', file: withoutAuths(parseInput(flowFile, value, 'source')), notes: [] }
  if (isRecord(value) && Array.isArray(value['steps']))
    return {
      format: 'millrace',
      file: withoutAuths(fileOfSample(parseInput(oneFlow, value, 'source'))),
      notes: [],
    }
  // A start doesn't need it, nor acorn.
  const { importN8n } = await import('../../engine/imports/n8n/index.ts')
  const n8n = importN8n(plainJson(source))
  if (n8n === null)
    throw fieldErrors({ source: [`isn't a Millrace flow or an n8n workflow. ${guess(value)}`] })
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
  const notes = n8n.notes.map((note) => ({
    ...note,
    flow: holder.get(note.ref_id ?? '') ?? file.flows[0]?.name ?? '',
  }))
  return { format: 'n8n', file, notes }
}

/** A sample's file, and a flow as it was written by itself. */
export const oneFlow = z.strictObject({
  name: nonEmptyText(200),
  description: text(20_000).default(''),
  teaches: text(2_000).default(''),
  tags: labels.default([]),
  settings: flowSettings.partial().default({}),
  setup: flowSetup
    .extend({
      error_flow: z
        .strictObject({ name: nonEmptyText(200), description: text(20_000), steps: z.array(step) })
        .optional(),
    })
    .default({ env_variables: [], connector_auths: [] }),
  sample_request: sampleRequest.nullable().default(null),
  steps: z.array(step),
})
export type OneFlow = z.output<typeof oneFlow>

export function fileOfSample({ name, description, tags, settings, steps, setup }: OneFlow): FlowFile {
  const { error_flow: handler, ...rest } = setup
  const { error_handling_flow_id: _, ...others } = settings
  const main: FlowInFile = {
    id: idInFile(0),
    name,
    description,
    tags,
    settings: handler === undefined ? others : { ...others, error_handling_flow_id: idInFile(1) },
    steps,
  }
  const flows = handler === undefined ? [main] : [main, { ...handler, id: idInFile(1), tags, settings: {} }]
  return { format: 'millrace-flow', version: 1, flows, references: { connectors: [] }, setup: rest }
}

/** An id that is none yet. */
function idInFile(at: number): string {
  return `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`
}

/** Credentials stay where they are, whatever the file says. */
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
    if (error instanceof JsonError) throw fieldErrors({ source: [`isn't JSON: ${error.message}`] })
    throw error
  }
}

/** As plain objects: of n8n's files no number and no order matters. The text was found to be sound before. */
const plainJson = (source: string): unknown => JSON.parse(source.replace(/^\uFEFF/, '')) as unknown

function guess(value: unknown): string {
  if (isRecord(value) && value['format'] === 'millrace-connector')
    return 'It is a connector; import it on the Connectors screen'
  if (isRecord(value) && Array.isArray(value['flow']) && Array.isArray(value['modules']))
    return 'It looks like a Make scenario'
  return Array.isArray(value) && value.some((one) => isRecord(one) && typeof one['wires'] === 'object')
    ? "It looks like a Node-RED flow, which isn't supported"
    : 'Expected a JSON object with "name" and "steps", or with "nodes" and "connections"'
}

/** Every step of a flow, those inside others included. */
export function* eachStep(steps: readonly Step[]): Generator<Step> {
  for (const { step } of visitSteps(steps)) yield step
}

/** A copy that can be changed. Steps were read from JSON, so they are data; the compiler does not see that. */
export function copyOf(steps: readonly Step[]): Step[] {
  return parseJson(writeJson(steps as unknown as Data), OWN_JSON_LIMITS) as unknown as Step[]
}

/** A text of a step's config; empty where it is none. */
export function textIn({ config }: Step, key: string): string {
  const held = config[key]
  return typeof held === 'string' ? held : ''
}
