import type {
  Exchange,
  RunError,
  RUN_STEP_STATUSES,
  RunWarning,
} from '../../../../shared/contract/flow-runs.ts'
import type { Data } from '../../data/value.ts'
import type { CompiledStep } from './compiled-step.ts'

/**
 * One step in one turn, from its start to its end; the same object in all events about it.
 *
 * A class without lists of its own: where the first objects that stand in braces live long, as the reports do that are
 * shown of a loop, V8 makes all later ones for a long life, and those of 100,000 turns stay until the next large
 * collection.
 */
export class StepReport {
  readonly step: CompiledStep
  /** Turns of the loops around it, outermost first. */
  readonly iteration: readonly number[]
  /** Milliseconds of the Unix epoch. */
  readonly startedAt: number
  /** False if a resumed run runs it again. */
  readonly isResumable: boolean
  status: (typeof RUN_STEP_STATUSES)[number] = 'running'
  attempt: number
  /** What the step worked on, rendered; null until it is known. */
  input: Data = null
  output: Data = null
  error: RunError | null = null
  /** Lines of the step's own code; null where it wrote none. Not redacted. */
  log: readonly { readonly level: string; readonly text: string }[] | null = null
  /** How many exchanges there were; the list keeps the first ones and the newest. */
  exchangeCount = 0
  durationMs: number | null = null
  /** For the recorder: the step's place in the history, null if it has none yet. */
  position: number | null = null
  /** For the recorder: when it was last written there, monotonic. */
  writtenAt: number | null = null
  #warnings: RunWarning[] | null = null
  #exchanges: Exchange[] | null = null

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

  /** Not redacted. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges ?? NONE
  }

  warn(warning: RunWarning): void {
    this.#warnings ??= []
    if (this.#warnings.length < MOST_WARNINGS) this.#warnings.push(warning)
  }

  addExchange(exchange: Exchange): void {
    this.#exchanges ??= []
    this.exchangeCount++
    if (this.#exchanges.length < MOST_EXCHANGES) this.#exchanges.push(exchange)
    else this.#exchanges[MOST_EXCHANGES - 1] = exchange
  }
}

const NONE: readonly never[] = []
const MOST_EXCHANGES = 100
const MOST_WARNINGS = 50
