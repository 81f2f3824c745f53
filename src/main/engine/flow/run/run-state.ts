import type { RunWarning } from '../../../../shared/contract/flow-runs.ts'
import type { Data } from '../../data/value.ts'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import type { CompiledFlow } from '../definition/compile-flow.ts'
import type { CompiledStep, ListEnd } from '../model/compiled-step.ts'
import type { PageFeed } from '../model/page-feed.ts'
import type { FlowPorts } from '../model/ports.ts'
import type { ResumeState } from '../model/run-events.ts'
import { RunHalt } from '../model/run-halt.ts'
import type { StepError } from '../model/step-error.ts'
import type { GuardedRecorder } from './guarded-recorder.ts'

/** What one run carries from step to step. */
export interface RunState {
  readonly id: string
  readonly flow: CompiledFlow
  readonly ports: FlowPorts
  readonly recorder: GuardedRecorder
  readonly resumed: ResumeState | null
  readonly input: Data
  readonly env: Readonly<Record<string, Data>>
  /** Steps that do not run in this test run, with the results they have instead. */
  readonly pins: ReadonlyMap<string, Data> | null
  /** Results of an earlier run, of steps that are not to run again. */
  readonly carriedOver: ReadonlyMap<string, Data> | null
  /** Names for templates. Without a prototype: every key in it is data. */
  readonly context: Record<string, Data>
  readonly stop: StopSignal
  readonly warnings: RunWarning[]
  /** Whether somebody waits for an answer. */
  awaited: boolean
  answer: WebhookResponse | null
  readonly keepsOutput: boolean
  iteration: readonly number[]
  /** Between a paginated step and the loop that takes its pages, by either of the two while they run. */
  readonly feeds: Map<CompiledStep, PageFeed>
  /** How loops left off that ran together with the step before them. */
  readonly ahead: Map<CompiledStep, ListEnd>
  /** Whether the turns around the current step are recorded for resuming (`CompiledStep.recordsTurns`). */
  recordsTurns: boolean
  lastOutput: Data
  /** Set by a `stop` step. */
  ending: RunEnding | null
  /** When it last yielded to the event loop, monotonic. */
  yieldedAt: number
  /** Whether it can be resumed: long waits are then handed back with `RunHalt`. */
  readonly resumable: boolean
}

export interface RunEnding {
  readonly status: 'success' | 'error'
  readonly message: string
  readonly error: StepError | null
}

/**
 * Ends a run from outside or at its time limit. Costs nothing until a step asks for the signal.
 *
 * The limit counts work and short waits, in one go or in pieces: a wait of more than a minute, and one for another flow
 * (which has a limit of its own), counts nothing, whether the run is parked for it or keeps its worker.
 */
export class StopSignal {
  readonly #ports: FlowPorts
  readonly #outer: AbortSignal | undefined
  #deadline: number
  /** When the first of the waits began that are under way and count nothing, monotonic; null: there is none. */
  #pausedAt: number | null = null
  #pauses = 0
  readonly #timeoutMs: number
  #controller: AbortController | null = null
  #timer: NodeJS.Timeout | undefined
  #onAbort: (() => void) | null = null

  /** @param spentMs what was counted before the run was resumed */
  constructor(ports: FlowPorts, timeoutMs: number, outer: AbortSignal | undefined, spentMs = 0) {
    this.#ports = ports
    this.#outer = outer
    this.#timeoutMs = timeoutMs
    this.#deadline = ports.clock.monotonic() + timeoutMs - spentMs
  }

  /** What counts of the time until now, that of before included. */
  get spentMs(): number {
    return this.#timeoutMs - this.remainingMs
  }

  get remainingMs(): number {
    return this.#deadline - (this.#pausedAt ?? this.#ports.clock.monotonic())
  }

  /** Does what counts nothing. */
  async pauseDuring<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#ports
    if (this.#pauses++ === 0) {
      this.#pausedAt = clock.monotonic()
      clearTimeout(this.#timer)
    }
    try {
      return await work()
    } finally {
      if (--this.#pauses === 0) {
        this.#deadline += clock.monotonic() - (this.#pausedAt ?? 0)
        this.#pausedAt = null
        if (this.#controller !== null) this.#startTimer(this.#controller)
      }
    }
  }

  /** @throws RunHalt where the run has to stop */
  check(now: number): void {
    if (this.#outer?.aborted) throw RunHalt.from(this.#outer.reason)
    if ((this.#pausedAt ?? now) >= this.#deadline) throw this.#timedOut()
  }

  /** The reason to stop, where there is one; what a step threw meanwhile is then only its echo. */
  get halt(): RunHalt | null {
    if (this.#outer?.aborted) return RunHalt.from(this.#outer.reason)
    if (this.#controller?.signal.aborted) return RunHalt.from(this.#controller.signal.reason)
    return this.remainingMs <= 0 ? this.#timedOut() : null
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#start(new AbortController())
    return this.#controller.signal
  }

  release(): void {
    if (this.#controller === null) return
    clearTimeout(this.#timer)
    if (this.#onAbort !== null) this.#outer?.removeEventListener('abort', this.#onAbort)
  }

  #start(controller: AbortController): AbortController {
    if (this.#outer?.aborted) controller.abort(this.#outer.reason)
    this.#onAbort = () => controller.abort(this.#outer?.reason)
    this.#outer?.addEventListener('abort', this.#onAbort, { once: true })
    if (this.#pauses === 0) this.#startTimer(controller)
    return controller
  }

  #startTimer(controller: AbortController): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => controller.abort(this.#timedOut()), Math.max(0, this.remainingMs))
  }

  #timedOut(): RunHalt {
    return new RunHalt('timeout', `The run took longer than the flow's limit of ${this.#timeoutMs / 1000} s`)
  }
}

export function tellOfDefect({ id, ports }: RunState, failure: StepError): void {
  if (failure.isDefect) ports.onDefect?.({ cause: failure.cause, flowRunId: id, refId: failure.refId })
}

/** A run of much quick work yields now and then, so that the event loop is never blocked for long. */
export async function yieldNow(run: RunState): Promise<void> {
  await run.ports.yieldToEventLoop()
  run.yieldedAt = run.ports.clock.monotonic()
  run.stop.check(run.yieldedAt)
}

/** A longer wait counts nothing towards the time limit. */
export const MOST_COUNTED_WAIT_MS = 60_000

export const YIELD_EVERY_MS = 8
