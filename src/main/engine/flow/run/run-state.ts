import { say, type Said } from '../../../../shared/contract/base/message.ts'
import type { RunWarning } from '../../../../shared/contract/flow-runs.ts'
import { definitionOf } from '../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf, entriesOf, isDictionary } from '@millrace/jinja/data'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import type { CompiledFlow } from '../definition/compile-flow.ts'
import type { CallbackStep, CompiledStep, ListEnd, StepScope } from '../model/compiled-step.ts'
import { nameOfItem } from '../model/item-name.ts'
import type { PageFeed } from '../model/page-feed.ts'
import type { FlowPorts } from '../model/ports.ts'
import type { RunBreakpoints } from '../model/run-breakpoints.ts'
import { type ResumeState, stepKey } from '../model/run-events.ts'
import { RunHalt } from '../model/run-halt.ts'
import type { StepError } from '../model/step-error.ts'
import type { StepReport } from '../model/step-report.ts'
import type { CallRecording } from './call-recording.ts'
import type { GuardedRecorder } from './guarded-recorder.ts'

/** The state that one run carries from step to step. */
export interface RunState {
  readonly id: string
  readonly flow: CompiledFlow
  readonly ports: FlowPorts
  readonly recorder: GuardedRecorder
  readonly resumed: ResumeState | null
  readonly input: Data
  /** The trigger that started it; null if the flow begins with another step. */
  readonly startedBy: CompiledStep | null
  readonly env: Readonly<Record<string, Data>>
  /** Steps that don't run in this test run, with the results to use instead. */
  readonly pins: ReadonlyMap<string, Data> | null
  /** Results from an earlier run, of steps that don't run again. */
  readonly carriedOver: ReadonlyMap<string, Data> | null
  /** Names for templates. It has no prototype, since every key in it is data. */
  readonly context: Record<string, Data>
  readonly stop: StopSignal
  /** Aborted if steps in `finally` have to stop too. */
  readonly finallySignal: AbortSignal | undefined
  /** The reason to stop, for a run that was resumed only for its steps in `finally`. */
  readonly unwinding: RunHalt | null
  readonly warnings: RunWarning[]
  /** Whether a caller waits for a response. */
  readonly awaited: boolean
  readonly keepsOutput: boolean
  readonly shared: SharedState
  /** Null if the run has no breakpoints. */
  readonly breakpoints: RunBreakpoints | null
  /** Whether the run stops before the next step. */
  stepping: boolean
  iteration: readonly number[]
  /** Feeds between a paginated step and the loop over its pages. Each is keyed by both steps while they run. */
  readonly feeds: Map<CompiledStep, PageFeed>
  /** The ends of the loops that ran together with their previous step. */
  readonly ahead: Map<CompiledStep, ListEnd>
  /** Whether iterations around the current step are recorded for resuming (`CompiledStep.recordsTurns`). */
  recordsTurns: boolean
  lastOutput: Data
  /** Whether the run can be resumed, so that long waits end with a `RunHalt`. */
  readonly resumable: boolean
  readonly doStep: DoStep
  /** Keeps whole calls; null if the run isn't recorded. */
  readonly recording: CallRecording | null
}

/** A step in one iteration, with its state so far. */
export interface StepInProgress extends StepScope {
  readonly step: CompiledStep
  readonly report: StepReport
}

/** Returns the result of the step. */
export type DoStep = (step: StepInProgress) => Data | Promise<Data>

/** State that all parallel parts of a run share. */
export interface SharedState {
  answer: WebhookResponse | null
  /** Set by a `stop` step. */
  ending: RunEnding | null
  /** When it last yielded to the event loop, on the monotonic clock. */
  yieldedAt: number
}

/**
 * The state for a part that runs in parallel with others. It can read the results so far, and the others don't see
 * its own.
 */
export function branchOff(run: RunState): RunState {
  const context = Object.setPrototypeOf({ ...run.context }, null) as Record<string, Data>
  return { ...run, context, feeds: new Map(), ahead: new Map(), lastOutput: null }
}

/** For steps that run although another step has ended the run. */
export function withoutEnding(shared: SharedState): SharedState {
  return {
    ending: null,
    get answer() {
      return shared.answer
    },
    set answer(answer) {
      shared.answer = answer
    },
    get yieldedAt() {
      return shared.yieldedAt
    },
    set yieldedAt(moment) {
      shared.yieldedAt = moment
    },
  }
}

export interface RunEnding {
  readonly status: 'success' | 'error'
  readonly message: string
  readonly error: StepError | null
}

/**
 * Ends a run from outside or at its time limit. Costs nothing until a step asks for the signal.
 *
 * The limit counts work and short waits, across resumptions. A wait of more than a minute, or for another flow (which
 * has its own limit), doesn't count, whether the run is parked for it or keeps its worker.
 */
export class StopSignal {
  readonly #ports: FlowPorts
  readonly #outer: AbortSignal | undefined
  #deadline: number
  /** When the first of the current uncounted waits began, on the monotonic clock; null if there is none. */
  #pausedAt: number | null = null
  #pauses = 0
  readonly #timeoutMs: number
  #controller: AbortController | null = null
  #timer: NodeJS.Timeout | undefined
  #onAbort: (() => void) | null = null

  readonly #around: StopSignal | null

  /**
   * @param spentMs the time counted before the run was resumed
   * @param around the signal that this one replaces for a while; uncounted waits don't count there
   * either
   */
  constructor(
    ports: FlowPorts,
    timeoutMs: number,
    outer: AbortSignal | undefined,
    spentMs = 0,
    around: StopSignal | null = null,
  ) {
    this.#around = around
    this.#ports = ports
    this.#outer = outer
    this.#timeoutMs = timeoutMs
    this.#deadline = ports.clock.monotonic() + timeoutMs - spentMs
  }

  /** The time that counts so far, including before the run was resumed. */
  get spentMs(): number {
    return this.#timeoutMs - this.remainingMs
  }

  get remainingMs(): number {
    return this.#deadline - (this.#pausedAt ?? this.#ports.clock.monotonic())
  }

  /** Runs work that doesn't count towards the limit. */
  pauseDuring<T>(work: () => Promise<T>): Promise<T> {
    const pause = () => this.#pauseDuring(work)
    return this.#around === null ? pause() : this.#around.pauseDuring(pause)
  }

  async #pauseDuring<T>(work: () => Promise<T>): Promise<T> {
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

  /** @throws RunHalt if the run has to stop */
  check(now: number): void {
    if (this.#outer?.aborted) throw RunHalt.from(this.#outer.reason)
    if ((this.#pausedAt ?? now) >= this.#deadline) throw this.#timedOut()
  }

  /** The reason to stop, if there is one. Errors that a step throws after that are only a consequence. */
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
    return new RunHalt(
      'timeout',
      say("The run took longer than the flow's limit of {{seconds}} s", { seconds: this.#timeoutMs / 1000 }),
    )
  }
}

export function tellOfDefect({ id, ports }: RunState, failure: StepError): void {
  if (failure.isDefect) ports.onDefect?.({ cause: failure.cause, flowRunId: id, refId: failure.refId })
}

/** Yields now and then in a run with a lot of quick work, so that the event loop is never blocked for long. */
export async function yieldNow(run: RunState): Promise<void> {
  await run.ports.yieldToEventLoop()
  run.shared.yieldedAt = run.ports.clock.monotonic()
  run.stop.check(run.shared.yieldedAt)
}

/** A longer wait doesn't count towards the time limit. */
export const MOST_COUNTED_WAIT_MS = 60_000

export const YIELD_EVERY_MS = 8

/** Makes the URLs of more steps readable in templates. */
export function addCallbacks(
  { id, ports, context }: Pick<RunState, 'id' | 'ports' | 'context'>,
  steps: readonly CallbackStep[],
  iteration: readonly number[],
): void {
  if (steps.length === 0) return
  const known = context['callbacks']
  const added = steps.map(({ ref, path, type }): [string, Data] => {
    const port = definitionOf(type)?.callback === 'question' ? ports.questions : ports.callbacks
    return [ref, dictionaryOf([['url', port.urlOf(id, stepKey(path, iteration))]])]
  })
  context['callbacks'] = dictionaryOf([...(isDictionary(known) ? entriesOf(known) : []), ...added])
}

/** The least time that steps in `finally` get, however much was spent before. */
export const FINALLY_MS = 60_000

/** The name of the current item of the list that a step goes through. */
export const nameOfCurrentItem = ({ context }: Pick<RunState, 'context'>): Said =>
  nameOfItem(context['item'] ?? null, Number(context['index'] ?? 0))
