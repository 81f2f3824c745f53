import { SpokenError } from '../../../../shared/contract/base/errors.ts'
import { SAID, say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { RunError } from '../../../../shared/contract/flow-runs.ts'

/**
 * Why a run stops between or inside its steps for a reason other than a step's error. No `on_error` catches
 * it.
 *
 * -  `cancelled`: someone asked for it.
 * -  `timeout`: the flow's own time limit.
 * -  `interrupted`: Millrace shuts down and the run can't be resumed.
 * -  `put_back`: Millrace shuts down, or the worker is needed; the run later resumes at the step in progress.
 * -  `parked`: a long wait; the run resumes at `resumeAt`.
 */
export type HaltReason = 'cancelled' | 'timeout' | 'interrupted' | 'put_back' | 'parked'

/**
 * The event that a run waits for: the end of another run, the answer to a question, a call (of that run and step), or
 * a decision at a breakpoint.
 */
export interface Awaited {
  readonly kind: 'run' | 'question' | 'callback' | 'stop'
  readonly id: string
}

/** Thrown through the steps, and used as the reason when a run's signal is aborted. */
export class RunHalt extends SpokenError {
  override readonly name = 'RunHalt'
  readonly reason: HaltReason
  /** Milliseconds since the Unix epoch, for `parked`. */
  readonly resumeAt: number | null

  /** The events that resume this run earlier. */
  readonly waitsFor: readonly Awaited[]

  /** The part of the wait that counts towards the time limit, for `parked`. */
  readonly countedMs: number

  constructor(
    reason: HaltReason,
    sentence: Said,
    resumeAt: number | null = null,
    waitsFor: Awaited | readonly Awaited[] | null = null,
    countedMs = 0,
  ) {
    super(sentence)
    this.reason = reason
    this.resumeAt = resumeAt
    this.waitsFor = waitsFor === null ? [] : [waitsFor].flat()
    this.countedMs = countedMs
  }

  /** Whether the run will be resumed. */
  get continuesLater(): boolean {
    return this.reason === 'parked' || this.reason === 'put_back'
  }

  /** @param refId the step that was running, if any */
  toRunError(refId: string | null): RunError {
    return {
      code: this.reason,
      message: this.message,
      ref_id: refId,
      field: null,
      line: null,
      column: null,
      data: null,
      [SAID]: this[SAID],
    }
  }

  /** For a run whose parts all wait. It resumes when the first of them can continue. */
  static ofFirst(parked: readonly [RunHalt, ...RunHalt[]]): RunHalt {
    const [first] = parked.toSorted((a, b) => (a.resumeAt ?? 0) - (b.resumeAt ?? 0)) as [RunHalt]
    const waitsFor = parked.flatMap((one) => one.waitsFor)
    return new RunHalt('parked', first[SAID], first.resumeAt, waitsFor, first.countedMs)
  }

  static fromRunError(error: RunError): RunHalt {
    return new RunHalt(error.code as HaltReason, sentenceOf(error))
  }

  static from(reason: unknown): RunHalt {
    return reason instanceof RunHalt ? reason : new RunHalt('cancelled', say('The run was cancelled'))
  }
}
