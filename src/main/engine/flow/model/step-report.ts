import type {
  KeptExchange,
  RunError,
  RUN_STEP_STATUSES,
  RunWarning,
} from '../../../../shared/contract/flow-runs.ts'
import type { Data } from '@millrace/jinja/data'
import type { CompiledStep } from './compiled-step.ts'
import type { MergeCounts } from './ports.ts'

/**
 * One step in one iteration, from start to end; all events about it carry the same object.
 *
 * It is a class without array literals: if the first objects that a literal creates live long, as a loop's displayed
 * reports do, V8 allocates all later ones in the old generation, where those of 100,000 iterations stay until the
 * next major collection.
 */
export class StepReport {
  readonly step: CompiledStep
  /** Iterations of the loops around it, outermost first. */
  readonly iteration: readonly number[]
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** False if a resumed run repeats it. */
  readonly isResumable: boolean
  status: (typeof RUN_STEP_STATUSES)[number] = 'running'
  attempt: number
  /** The step's rendered input; null until it is known. */
  input: Data = null
  output: Data = null
  error: RunError | null = null
  /** Lines logged by the step's own code; null if there are none. Not redacted. */
  log: readonly { readonly level: string; readonly text: string }[] | null = null
  /** The total number of exchanges; the list keeps only the first and the newest ones. */
  exchangeCount = 0
  /** Records on the pages of a list that were read since the run was last resumed. */
  recordsRead = 0
  /** The effect of a merge on its target's records; null if nothing was merged, or the effect is unknown. */
  merged: MergeCounts | null = null
  /** The numbers of requests that were rejected by a rate limit, were rejected for another reason, or failed. */
  limitedCalls = 0
  refusedCalls = 0
  failedCalls = 0
  durationMs: number | null = null
  /** Whether input and output are kept whole, because the run is recorded. */
  isWhole = false
  /** For the recorder: the step's position in the history; null if it has none yet. */
  position: number | null = null
  /** For the recorder: when the report of a step that is still running is written again, on the monotonic clock. */
  dueAt = 0
  #warnings: RunWarning[] | null = null
  #exchanges: KeptExchange[] | null = null

  constructor(
    step: CompiledStep,
    turn: { readonly iteration: readonly number[]; readonly recordsTurns: boolean },
    startedAt: number,
    attempt: number,
  ) {
    this.step = step
    this.iteration = turn.iteration
    this.isResumable = turn.recordsTurns
    this.startedAt = startedAt
    this.attempt = attempt
  }

  get warnings(): readonly RunWarning[] {
    return this.#warnings ?? NONE
  }

  /** The exchanges kept so far, not redacted. */
  get exchanges(): readonly KeptExchange[] {
    return this.#exchanges ?? NONE
  }

  warn(warning: RunWarning): void {
    this.#warnings ??= []
    const isKept = this.#warnings.length < MOST_WARNINGS || warning.in_doubt === true
    if (isKept) this.#warnings.push(warning)
  }

  addExchange(exchange: KeptExchange): void {
    this.#exchanges ??= []
    this.exchangeCount++
    const status = exchange.response?.status ?? 0
    if (status === 429) this.limitedCalls++
    else if (status >= 400 && status < 500) this.refusedCalls++
    else if (status < 100 || status >= 500) this.failedCalls++
    if (exchange.whole || this.#exchanges.length < MOST_EXCHANGES) this.#exchanges.push(exchange)
    else this.#exchanges[this.#exchanges.length - 1] = exchange
  }
}

const NONE: readonly never[] = []
const MOST_EXCHANGES = 100
const MOST_WARNINGS = 50
