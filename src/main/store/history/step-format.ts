/**
 * The stored form of steps: JSON without default values, several steps in one string. Long bodies of calls are stored
 * next to it, as bytes; the string has their length instead.
 */
import { withoutSaid, withSaid } from '../../../shared/contract/base/message.ts'
import type { Exchange, FlowRunStep, KeptExchange } from '../../../shared/contract/flow-runs.ts'
import { toIso, toTime, type JsonCodec } from '../sql/codec.ts'
import { isRecording } from '../sql/statement.ts'

/** The ids are derived from the run and the position (ids.ts). */
export type StoredStep = Omit<FlowRunStep, 'id' | 'flow_run_id'>

/** Bodies of calls can be bytes, in UTF-8. */
export type NewStep = Omit<StoredStep, 'http'> & { readonly http: readonly KeptExchange[] }

/** One step, or several as a list. */
export interface WrittenSteps {
  readonly text: string
  /** Bodies in the order in which the text has their lengths. */
  readonly bodies: readonly Uint8Array[]
}

/** Changing one step rewrites its chunk, and a page of a long run reads several chunks. */
const CHUNK_CHARACTERS = 65_536

/** Joins serialized steps into chunks up to the size limit, so that the steps of a long run are never all in memory. */
export class StepChunks {
  readonly #put: (position: number, steps: WrittenSteps) => void
  #first: number
  #held: WrittenSteps[] = []
  #size = 0

  /** @param put called with each chunk and the position of its first step; the first chunk starts at `position` */
  constructor(position: number, put: (position: number, steps: WrittenSteps) => void) {
    this.#first = position
    this.#put = put
  }

  add(step: WrittenSteps): void {
    const size = step.bodies.reduce((sum, { length }) => sum + length, step.text.length)
    if (this.#held.length > 0 && this.#size + size > CHUNK_CHARACTERS) this.end()
    this.#held.push(step)
    this.#size += size
  }

  /** Call after the last step. */
  end(): void {
    if (this.#held.length === 0) return
    this.#put(this.#first, joinSteps(this.#held))
    this.#first += this.#held.length
    this.#held = []
    this.#size = 0
  }
}

export const joinSteps = (steps: readonly WrittenSteps[]): WrittenSteps => ({
  text: `[${steps.map(({ text }) => text).join(',')}]`,
  bodies: steps.flatMap(({ bodies }) => bodies),
})

export interface PackedStep {
  ref_id: string
  type: string
  path: string
  started_at: number
  duration_ms: number | null
  status?: StoredStep['status']
  iteration?: number[]
  attempt?: number
  truncated?: true
  error?: StoredStep['error']
  warnings?: StoredStep['warnings']
  input?: StoredStep['input']
  output?: StoredStep['output']
  http?: readonly PackedExchange[]
  log?: StoredStep['log']
  earlier_attempts?: StoredStep['earlier_attempts']
}

/** A body that is stored separately is a number here: its length in bytes. */
type PackedExchange = Omit<Exchange, 'request' | 'response'> & {
  readonly request: WithBody<Exchange['request']>
  readonly response: WithBody<NonNullable<Exchange['response']>> | null
}
type WithBody<T> = Omit<T, 'body'> & { readonly body: string | number | null }

export function writeStep(step: NewStep, json: JsonCodec): WrittenSteps {
  const bodies: Uint8Array[] = []
  const { ref_id, type, path, started_at, duration_ms } = step
  const packed: PackedStep = { ref_id, type, path, started_at: toTime(started_at), duration_ms }
  if (step.status !== 'success') packed.status = step.status
  if (step.iteration.length > 0) packed.iteration = step.iteration
  if (step.attempt !== 1) packed.attempt = step.attempt
  if (step.truncated) packed.truncated = true
  if (step.error !== null) packed.error = withSaid(step.error)
  if (step.warnings.length > 0) packed.warnings = withSaid(step.warnings)
  if (step.input !== null) packed.input = step.input
  if (step.output !== null) packed.output = step.output
  if (step.http.length > 0) packed.http = step.http.map((exchange) => packExchange(exchange, bodies))
  if (step.log !== undefined) packed.log = step.log
  if (step.earlier_attempts !== undefined)
    packed.earlier_attempts = step.earlier_attempts.map((one) => ({
      ...one,
      error: withSaid(one.error),
    }))
  return { text: json.stringify(packed), bodies }
}

function packExchange({ request, response, ...rest }: KeptExchange, bodies: Uint8Array[]): PackedExchange {
  return {
    ...rest,
    request: { ...request, body: packBody(request.body, bodies) },
    response: response && { ...response, body: packBody(response.body, bodies) },
  }
}

/** Recorded work can only contain strings. */
function packBody(body: string | Uint8Array | null, bodies: Uint8Array[]): string | number | null {
  if (body === null || (typeof body === 'string' && body.length < LONG_BODY_CHARACTERS)) return body
  if (isRecording()) return typeof body === 'string' ? body : UTF8.decode(body)
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  bodies.push(bytes)
  return bytes.length
}

export function readSteps(part: PackedSteps, json: JsonCodec): StoredStep[] {
  return readKeptSteps(part, json).map((step) => ({ ...step, http: step.http.map(withTexts) }))
}

const withTexts = ({ request, response, ...rest }: KeptExchange): Exchange => ({
  ...rest,
  request: { ...request, body: textOf(request.body) },
  response: response && { ...response, body: textOf(response.body) },
})

export const textOf = <B extends string | null>(body: B | Uint8Array) =>
  body instanceof Uint8Array ? UTF8.decode(body) : body

/** Several steps: a JSON list, and their concatenated long bodies. */
interface PackedSteps {
  readonly steps: string
  readonly bodies: Uint8Array
}

/** For callers that only write the steps again, or don't need the bodies of their calls. */
export function readKeptSteps({ steps, bodies }: PackedSteps, json: JsonCodec): NewStep[] {
  let at = 0
  const unpackBody = (body: string | number | null) =>
    typeof body === 'number' ? bodies.subarray(at, (at += body)) : body
  const unpackExchange = ({ request, response, ...rest }: PackedExchange): KeptExchange => ({
    ...rest,
    request: { ...request, body: unpackBody(request.body) },
    response: response && { ...response, body: unpackBody(response.body) },
  })
  return (json.parse(steps) as PackedStep[]).map((packed) => ({
    ref_id: packed.ref_id,
    type: packed.type,
    path: packed.path,
    iteration: packed.iteration ?? [],
    status: packed.status ?? 'success',
    input: packed.input ?? null,
    output: packed.output ?? null,
    error: errorFrom(packed.error ?? null),
    warnings: (packed.warnings ?? []).map(withoutSaid),
    http: (packed.http ?? []).map(unpackExchange),
    ...(packed.log === undefined ? {} : { log: packed.log }),
    ...(packed.earlier_attempts === undefined
      ? {}
      : {
          earlier_attempts: packed.earlier_attempts.map((one) => ({ ...one, error: errorFrom(one.error) })),
        }),
    started_at: toIso(packed.started_at),
    duration_ms: packed.duration_ms,
    attempt: packed.attempt ?? 1,
    truncated: packed.truncated ?? false,
  }))
}

/** A shorter body isn't worth storing separately. */
const LONG_BODY_CHARACTERS = 4_096
const UTF8 = new TextDecoder()

const errorFrom = (error: StoredStep['error']) => error && withoutSaid(error)
