/** A flow as a file: what the contract takes to create one, without what belongs to one machine alone. */
import type { Flow } from '../../shared/contract/flows.ts'
import type { RouteRequest } from '../../shared/contract/route.ts'
import type { createFlowRoute } from '../../shared/contract/flows.ts'
import { JsonError, parseJson, writeJson } from '../engine/data/json.ts'
import { EXIT, HostError } from '../exit-codes.ts'

export interface FlowFile {
  readonly body: NonNullable<RouteRequest<typeof createFlowRoute>['body']>
  /** Steps that named stored credentials; an import never carries them along. */
  readonly withoutAuth: readonly string[]
  /** Addresses that steps call, as they are written: a host, or a template. */
  readonly addresses: readonly string[]
}

const KEYS = ['name', 'description', 'tags', 'settings', 'steps'] as const

export function writeFlowFile(flow: Flow): string {
  const { name, description, tags, settings, steps } = flow
  return `${writeJson({ name, description, tags, settings, steps } as never, 2)}\n`
}

/** @throws HostError `failed` where the text is no flow; what is wrong inside one the host says, by step and field */
export function readFlowFile(text: string, source: string): FlowFile {
  const file = readObject(text, source)
  const body = Object.fromEntries(KEYS.filter((key) => key in file).map((key) => [key, file[key]]))
  const withoutAuth: string[] = []
  const addresses = new Set<string>()
  for (const { ref_id: refId, type, config } of stepsIn(body.steps)) {
    if (config.auth_id || config.dynamic_auth_id) withoutAuth.push(String(refId))
    delete config.auth_id
    delete config.dynamic_auth_id
    if (type === 'rest' && typeof config.url === 'string') addresses.add(hostOf(config.url))
  }
  if (isObject(body.settings)) delete body.settings.error_handling_flow_id
  return { body: body as unknown as FlowFile['body'], withoutAuth, addresses: [...addresses] }
}

type Dictionary = Record<string, unknown>

function readObject(text: string, source: string): Dictionary {
  try {
    const value: unknown = parseJson(text)
    if (isObject(value) && Array.isArray(value.steps)) return value
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new HostError(EXIT.failed, `${source} is not JSON: ${error.message}`)
  }
  throw new HostError(EXIT.failed, `${source} is no flow: a JSON object with "name" and "steps" is expected`)
}

/** Every step with a config, children included. */
function* stepsIn(steps: unknown): Generator<{ ref_id: unknown; type: unknown; config: Dictionary }> {
  if (!Array.isArray(steps)) return
  for (const step of steps as unknown[]) {
    if (!isObject(step)) continue
    if (isObject(step.config)) yield { ref_id: step.ref_id, type: step.type, config: step.config }
    for (const list of LISTS) yield* stepsIn(step[list])
    for (const branch of Array.isArray(step.cases) ? (step.cases as unknown[]) : []) {
      if (isObject(branch)) yield* stepsIn(branch.steps)
    }
  }
}

const LISTS = ['steps', 'then', 'else', 'default'] as const

function isObject(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#{]+)/i.exec(url)?.[1] ?? url
}
