/** How steps are stored: JSON without default values, several steps in one string. */
import { withoutSaid, withSaid } from '../../../shared/contract/base/message.ts'
import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { toIso, toTime, type JsonCodec } from '../sql/codec.ts'

/** The ids are derived from the run and the position (ids.ts). */
export type StoredStep = Omit<FlowRunStep, 'id' | 'flow_run_id'>

/** Changing one step rewrites its chunk, and a page of a long run reads several chunks. */
const CHUNK_CHARACTERS = 65_536

/** Joins serialized steps into chunks up to the size limit, so that the steps of a long run are never all in memory. */
export class StepChunks {
  readonly #put: (position: number, text: string) => void
  #first: number
  #held: string[] = []
  #characters = 0

  /** @param put called with each chunk and the position of its first step; the first chunk starts at `position` */
  constructor(position: number, put: (position: number, text: string) => void) {
    this.#first = position
    this.#put = put
  }

  add(text: string): void {
    if (this.#held.length > 0 && this.#characters + text.length > CHUNK_CHARACTERS) this.end()
    this.#held.push(text)
    this.#characters += text.length
  }

  /** Call after the last step. */
  end(): void {
    if (this.#held.length === 0) return
    this.#put(this.#first, `[${this.#held.join(',')}]`)
    this.#first += this.#held.length
    this.#held = []
    this.#characters = 0
  }
}

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
  http?: StoredStep['http']
  log?: StoredStep['log']
  earlier_attempts?: StoredStep['earlier_attempts']
}

export function writeStep(step: StoredStep, json: JsonCodec): string {
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
  if (step.http.length > 0) packed.http = step.http
  if (step.log !== undefined) packed.log = step.log
  if (step.earlier_attempts !== undefined)
    packed.earlier_attempts = step.earlier_attempts.map((one) => ({
      ...one,
      error: withSaid(one.error),
    }))
  return json.stringify(packed)
}

export function readSteps(text: string, json: JsonCodec): StoredStep[] {
  return (json.parse(text) as PackedStep[]).map((packed) => ({
    ref_id: packed.ref_id,
    type: packed.type,
    path: packed.path,
    iteration: packed.iteration ?? [],
    status: packed.status ?? 'success',
    input: packed.input ?? null,
    output: packed.output ?? null,
    error: errorFrom(packed.error ?? null),
    warnings: (packed.warnings ?? []).map(withoutSaid),
    http: packed.http ?? [],
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

const errorFrom = (error: StoredStep['error']) => error && withoutSaid(error)
