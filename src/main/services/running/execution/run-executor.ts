import { type Said } from '../../../../shared/contract/base/message.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import { type FlowRun, HAND_TRIGGERS } from '../../../../shared/contract/flow-runs.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { type Data, type Dictionary, entriesOf } from '@millrace/jinja/data'
import type { RunBreakpoints } from '../../../engine/flow/model/run-breakpoints.ts'
import type { FlowPorts } from '../../../engine/flow/model/ports.ts'
import { startingTrigger, waitsForEnd } from '../../../engine/flow/definition/compile-flow.ts'
import { runFlow, type RunOutcome } from '../../../engine/flow/run/run-flow.ts'
import { type HaltReason, RunHalt } from '../../../engine/flow/model/run-halt.ts'
import type { WebhookResponse } from '../../../engine/webhook/build-response.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { ConcurrencySlot, FlowConcurrency } from './flow-concurrency.ts'
import type { PortsFor } from '../../reaching/step-ports/step-ports.ts'
import { endUnrecorded } from './unrecorded-runs.ts'
import { EphemeralMap } from './ephemeral-map.ts'
import type { WorkPlace } from './work-places.ts'
import { portsGivingPlaceBack } from './waiting-ports.ts'
import type { Log } from '../../kit/ports.ts'
import type { RecordFilesService } from '../../keeping/files/record-files.ts'
import { HistoryRecorder, type PendingRequest } from './history-recorder.ts'
import type { ResumeData, RunStart } from './resume-log.ts'
import type { RunnableFlow } from './runnable-flows.ts'

/** A run to be executed now. */
export interface RunPlan {
  readonly flow: Pick<RunnableFlow, 'compiled' | 'readers' | 'breakpoints'> & {
    readonly settings: Flow['settings']
  }
  readonly run: FlowRun
  readonly start: RunStart
  readonly redactor: Redactor
  /** The request whose caller waits for the flow's response; null if nobody waits. */
  readonly request: PendingRequest | null
  /** Whether the run was accepted before, so that it is in the database and can be resumed. */
  readonly isQueued: boolean
  readonly resumeData: ResumeData | null
  /** The run's place, which it gives back while it waits for something external; absent if it holds none. */
  readonly place?: WorkPlace
  /** Called when the run has ended, before that is stored. */
  readonly beforeEndIsStored?: (() => void) | undefined
  /** Called inside the write that stores the response to the waiting caller. */
  readonly storeWithAnswer?: ((answer: WebhookResponse) => void) | undefined
}

export interface Execution {
  /** The flow's response once it is in the history; null if the run ended without one. */
  readonly answered: Promise<WebhookResponse | null>
  /** Rejects if the run couldn't be recorded; if the queue will continue the run, recording a part of it is enough. */
  readonly outcome: Promise<RunOutcome>
  readonly recorder: HistoryRecorder
}

/** Values that every template can read. */
export type EnvValues = () => Readonly<Record<string, Data>>

export interface RunExecutorOptions {
  readonly store: Store
  readonly portsFor: PortsFor
  readonly recordFiles: Pick<RecordFilesService, 'remove'>
  readonly clock: Clock
  readonly env: EnvValues
  readonly events: Pick<EventsService, 'emit'>
  readonly concurrency: Pick<FlowConcurrency, 'run'>
  /** Null if nothing can stop the run. Costs nothing for a new run of a flow without breakpoints. */
  readonly breakpointsFor: (plan: Pick<RunPlan, 'flow' | 'run' | 'resumeData'>) => RunBreakpoints | null
  /** Called inside the write that stores the end of a run. */
  readonly onEnding: (run: FlowRun, start: RunStart) => void
  /** Called inside the write that stores the end of a failed run; true if it stored another run. */
  readonly onFailed: (run: FlowRun, start: RunStart) => boolean
  /**
   * Called inside the write that stores the end of a run that another one waits for; true if that one can continue now.
   */
  readonly wakeParent: (run: FlowRun) => boolean
  /** Called once the end of a run is stored. */
  readonly onEnded: (run: FlowRun) => void
  /** Called when another run has been queued. */
  readonly onQueued: () => void
  /** Called when the first run begins, and when the last one has ended. */
  readonly onBusy: (isBusy: boolean) => void
  readonly log: Log
}

interface ActiveRun {
  readonly flowId: string
  readonly isQueued: boolean
  readonly controller: AbortController
  /** Also stops the steps in `finally`. */
  readonly finallyController: AbortController
  readonly execution: Execution
}

export function createRunExecutor(options: RunExecutorOptions): RunExecutor {
  return new RunExecutor(options)
}

/** Executes runs and keeps track of those in progress. */
export class RunExecutor {
  readonly #options: RunExecutorOptions
  readonly #active = new EphemeralMap<ActiveRun>()

  constructor(options: RunExecutorOptions) {
    this.#options = options
  }

  execute(plan: RunPlan): Execution {
    const { run, isQueued } = plan
    const controller = new AbortController()
    const finallyController = new AbortController()
    const answered = Promise.withResolvers<WebhookResponse | null>()
    const recorder = this.#createRecorder(plan, answered.resolve)
    const outcome = isQueued
      ? this.#run(
          plan,
          recorder,
          [controller.signal, finallyController.signal],
          this.#queuedPortsOf(plan, controller.signal),
        )
      : this.#runInSlot(plan, recorder, [controller.signal, finallyController.signal])
    const execution = { answered: answered.promise, outcome, recorder }
    this.#active.set(run.id, { flowId: run.flow_id, isQueued, controller, finallyController, execution })
    if (this.#active.size === 1) this.#options.onBusy(true)
    const settle = (ended?: RunOutcome) => {
      this.#settle(plan, ended)
      answered.resolve(null)
    }
    outcome.then(settle, () => settle())
    return execution
  }

  /** False if no such run is being executed. */
  halt(runId: string, reason: HaltReason, message: Said): boolean {
    const run = this.#active.get(runId)
    if (run) haltRun(run, reason, message)
    return run !== null
  }

  haltFlow(flowId: string, reason: HaltReason, message: Said): void {
    for (const run of this.#active.values()) if (run.flowId === flowId) haltRun(run, reason, message)
  }

  /** Stops the queued runs, to be resumed later. */
  putBackAll(message: Said): void {
    for (const run of this.#active.values()) if (run.isQueued) haltRun(run, 'put_back', message)
  }

  /** Ends the runs that can't be resumed. */
  interruptAll(message: Said): void {
    for (const run of this.#active.values()) if (!run.isQueued) haltRun(run, 'interrupted', message)
  }

  get isBusy(): boolean {
    return this.#active.size > 0
  }

  isExecuting(runId: string): boolean {
    return this.#active.has(runId)
  }

  /** Resolves once the run is no longer being executed. */
  async settled(runId: string): Promise<void> {
    await this.#active.get(runId)?.execution.outcome.catch(() => undefined)
  }

  /** Resolves when the runs executing now have finished. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#active.values()].map(({ execution }) => execution.outcome))
  }

  #createRecorder(plan: RunPlan, onAnswered: (answer: WebhookResponse) => void): HistoryRecorder {
    const { flow, run, start, isQueued } = plan
    const { store, clock, onFailed, wakeParent, onQueued, onEnding, onEnded } = this.#options
    let hasQueued = false
    // This isn't a method of an object literal, for the reason in `HistoryRecorder`.
    const onEnd = (ended: FlowRun) => {
      onEnding(ended, start)
      const hasWoken = start.awaitedByFlow === true && wakeParent(ended)
      hasQueued = (ended.status === 'error' && onFailed(ended, start)) || hasWoken
    }
    const onCommitted = (committed: FlowRun) => {
      this.#announce(committed)
      if (committed.finished_at !== null) onEnded(committed)
      if (hasQueued) onQueued()
      hasQueued = false
    }
    return new HistoryRecorder({
      store,
      clock,
      redactor: plan.redactor,
      run,
      start,
      request: plan.request,
      isStored: isQueued,
      resumable: isQueued,
      keepsFailure: flow.compiled.outside,
      resumeData: plan.resumeData,
      logAllSteps: flow.settings.log_all_steps || isRecorded(plan),
      keepsHistory: flow.settings.data_retention_days > 0,
      afterAnswerIsStored: onAnswered,
      storeWithAnswer: plan.storeWithAnswer,
      beforeEndIsStored: plan.beforeEndIsStored,
      storeWithEnd: onEnd,
      onCommitted,
    })
  }

  #run(
    plan: RunPlan,
    recorder: HistoryRecorder,
    [signal, finallySignal]: Signals,
    ports: FlowPorts,
  ): Promise<RunOutcome> {
    const { flow, run, start, request, isQueued, resumeData } = plan
    return runFlow(flow.compiled, {
      id: run.id,
      input: start.input,
      trigger: run.trigger_ref,
      ...(start.webhook === null ? {} : { webhook: start.webhook }),
      env: this.#envOf(start),
      ...(start.pins === undefined ? {} : { pins: new Map(entriesOf(start.pins as Dictionary)) }),
      ...(start.carriedOver === undefined
        ? {}
        : { carriedOver: new Map(entriesOf(start.carriedOver as Dictionary)) }),
      doubts: start.doubts ?? [],
      ports,
      recorder,
      awaited: request !== null || start.awaitedByFlow === true || standsForCall(plan),
      keepsOutput: start.awaitedByFlow === true,
      signal,
      finallySignal,
      unwinding: resumeData?.unwinding ? RunHalt.fromRunError(resumeData.unwinding) : null,
      resumeFrom: resumeData?.steps ?? null,
      spentMs: resumeData?.spentMs ?? 0,
      resumable: isQueued,
      breakpoints: this.#options.breakpointsFor(plan),
      records: isRecorded(plan),
    })
  }

  /** Executes a run whose caller is waiting. Nobody resumes it, so its end must be recorded now. */
  #runInSlot(plan: RunPlan, recorder: HistoryRecorder, signals: Signals): Promise<RunOutcome> {
    const { flow, run } = plan
    const { concurrency, log } = this.#options
    return concurrency
      .run(
        run.flow_id,
        flow.settings.concurrency,
        (slot) => this.#run(plan, recorder, signals, portsReleasingSlot(this.#portsOf(plan), slot)),
        signals[0],
      )
      .catch((error: unknown) => endUnrecorded(recorder, error, log))
  }

  /** Every run gets its permissions here, whatever started it. */
  #portsOf({ flow, start }: RunPlan): FlowPorts {
    return this.#options.portsFor(start.readers ?? flow.readers)
  }

  #queuedPortsOf(plan: RunPlan, signal: AbortSignal): FlowPorts {
    const ports = this.#portsOf(plan)
    return plan.place === undefined ? ports : portsGivingPlaceBack(ports, plan.place, signal)
  }

  /** An error-handling flow can also read its input from the env values. */
  #envOf(start: RunStart): ReturnType<EnvValues> {
    const env = this.#options.env()
    return start.handlesError ? { ...env, ...Object.fromEntries(entriesOf(start.input as Dictionary)) } : env
  }

  #settle({ run, flow }: RunPlan, ended: RunOutcome | undefined): void {
    this.#active.delete(run.id)
    if (this.#active.size === 0) this.#options.onBusy(false)
    // The run itself has been deleted by now, and housekeeping removes the rest.
    if (ended?.kind === 'ended' && flow.settings.data_retention_days === 0)
      this.#options.recordFiles.remove(run.id).catch(() => undefined)
  }

  #announce({ id, flow_id, status }: FlowRun): void {
    this.#options.events.emit({ type: 'updated', noun: 'flow_run', id, flow_id, status })
  }
}

/** If called a second time, also stops the steps in `finally`. A run that continues later stops at once. */
function haltRun({ controller, finallyController }: ActiveRun, reason: HaltReason, message: Said): void {
  const halt = new RunHalt(reason, message)
  if (controller.signal.aborted || halt.continuesLater) finallyController.abort(halt)
  controller.abort(halt)
}

type Signals = readonly [run: AbortSignal, finallySteps: AbortSignal]

/** Ports with which a run releases its slot while it waits for another one, possibly of the same flow. */
function portsReleasingSlot(ports: FlowPorts, slot: ConcurrencySlot): FlowPorts {
  const { subFlows } = ports
  return {
    ...ports,
    subFlows: {
      ...subFlows,
      wait: (runId, signal) => slot.releaseDuring(() => subFlows.wait(runId, signal)),
    },
  }
}

/**
 * A test or replay shows the response that a caller would get. An asynchronous webhook always sends the same response.
 */
function standsForCall({ run, flow, start }: RunPlan): boolean {
  return HAND_TRIGGERS.includes(run.trigger) && waitsForEnd(flow.compiled, run.trigger_ref) && !start.isPart
}

function isRecorded({ flow, start }: Pick<RunPlan, 'flow' | 'start'>): boolean {
  return start.records === true || flow.settings.record_calls
}

/** A new run's record, before it starts. */
export function newRun(
  flow: Pick<RunnableFlow, 'id' | 'name' | 'version' | 'compiled'>,
  {
    trigger_ref: given,
    ...more
  }: Pick<FlowRun, 'id' | 'trigger'> & Partial<Pick<FlowRun, 'parent_run_id' | 'trigger_ref'>>,
  at: string,
): FlowRun {
  const ref = flow.compiled.triggers.length < 2 ? undefined : startingTrigger(flow.compiled, given)?.ref
  return {
    flow_id: flow.id,
    flow_version: flow.version,
    title: flow.name,
    status: 'running',
    started_at: at,
    finished_at: null,
    duration_ms: null,
    error: null,
    warnings: [],
    attempt: 1,
    parent_run_id: null,
    created_at: at,
    ...(ref !== undefined && { trigger_ref: ref }),
    ...more,
  }
}
