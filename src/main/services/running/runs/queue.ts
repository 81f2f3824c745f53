/**
 * The queue: executes accepted runs as places become free. Runs of one flow start in the order in which they were
 * accepted.
 */
import { say } from '../../../../shared/contract/base/message.ts'
import type { FlowRun, RunError } from '../../../../shared/contract/flow-runs.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import { compileFlow } from '../../../engine/flow/definition/compile-flow.ts'
import { type Awaited, RunHalt } from '../../../engine/flow/model/run-halt.ts'
import { owesFinally } from '../../../engine/flow/run/unwind.ts'
import type { Clock } from '../../../engine/ports.ts'
import {
  MOST_DEATHS,
  type NewRunParts,
  type NewWebhookRequest,
  type Store,
  StoreWriteError,
} from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import type { FlowConcurrency } from '../execution/flow-concurrency.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import { EphemeralMap } from '../execution/ephemeral-map.ts'
import type { Log } from '../../kit/ports.ts'
import type { RecordFilesService } from '../../keeping/files/record-files.ts'
import type { RunExecutor, RunPlan } from '../execution/run-executor.ts'
import {
  entriesToRetry,
  readResumeData,
  readStart,
  type ResumeData,
  type RunStart,
  writeResumeEntries,
  writeStart,
} from '../execution/resume-log.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import { type WorkPlace, WorkPlaces } from '../execution/work-places.ts'
import { type WaitingRun, WaitingRuns } from './waiting-runs.ts'
import { NOT_RECORDED, runError } from '../execution/unrecorded-runs.ts'

export interface AcceptedRun {
  readonly run: FlowRun
  readonly flow: RunnableFlow
  readonly start: RunStart
  readonly request?: NewWebhookRequest
  /** Additional writes for the same commit; if it throws, the run isn't accepted. */
  readonly alsoStore?: () => void
}

export interface RunQueueOptions {
  readonly store: Store
  readonly runnable: RunnableFlows
  readonly executor: RunExecutor
  readonly concurrency: Pick<FlowConcurrency, 'inUse' | 'released'>
  readonly recordFiles: Pick<RecordFilesService, 'read'>
  readonly secrets: KnownSecrets
  readonly settings: () => Pick<Settings, 'concurrent_runs'>
  readonly clock: Clock
  readonly events: Pick<EventsService, 'emit'>
  readonly log: Log
  /** Called inside the write that stores the end of a failed run; true if it stored another run. */
  readonly onFailed: (run: FlowRun) => boolean
  /** Delay before a run that couldn't be recorded is retried; 5 s by default. */
  readonly retryMs?: number | undefined
}

export function createRunQueue(options: RunQueueOptions): RunQueue {
  return new RunQueue(options)
}

export class RunQueue {
  readonly #options: RunQueueOptions
  readonly #retryMs: number
  /** Plans of waiting runs accepted by this process, so that they don't have to be loaded again. */
  readonly #plans = new EphemeralMap<RunPlan>()
  /** Runs that were in progress when an earlier process ended. */
  readonly #interruptedRuns = new Set<string>()
  readonly #places: WorkPlaces
  /** Runs accepted by this process; only this list knows their order. */
  readonly #accepted = new WaitingRuns()
  /** Number of all other waiting runs, which are read from the disk, in the order stored there. */
  #waiting = 0
  /** The flows of those runs; null if unknown. */
  #storedFlows: Set<string> | null = null
  /** Set if a run on the disk may have become ready. */
  #looksAtStored = true
  /** Queued runs in progress, by flow. */
  readonly #inProgress = new Map<string, number>()
  #state: 'new' | 'open' | 'stopped' = 'new'
  #isClaiming = false
  #claimAgain = false
  /** Set if the last claim left runs that may be able to start now. */
  #mayClaimMore = false
  #lookedForOverdueAt = -Infinity
  #claimTimer: NodeJS.Timeout | undefined
  /** Callers whose run isn't on the disk yet. */
  #callers = 0
  #pressedAt = -Infinity
  #claimedAt = -Infinity
  #pause: NodeJS.Timeout | undefined

  constructor(options: RunQueueOptions) {
    this.#options = options
    this.#retryMs = options.retryMs ?? RETRY_MS
    this.#places = new WorkPlaces(
      () => options.settings().concurrent_runs,
      () => {
        if (this.#mayClaimMore) this.#claim()
      },
    )
  }

  /** Resumes the runs of an earlier process and starts executing. */
  async start(): Promise<void> {
    const { store } = this.#options
    const { requeued, setAside } = await store.write(() => {
      const recovered = store.recover(this.#now())
      for (const id of recovered.interrupted) this.#reportFailure(id)
      return recovered
    })
    for (const id of requeued) this.#interruptedRuns.add(id)
    for (const id of setAside) await this.#setAside(id)
    this.#waiting = store.runQueue.count().ready
    this.#state = 'open'
    this.claimSoon()
    this.#scheduleClaim()
  }

  /** Stops executing further runs. The caller halts those in progress. */
  stop(): void {
    this.#state = 'stopped'
    clearTimeout(this.#claimTimer)
    clearTimeout(this.#pause)
  }

  /**
   * Resolves once the run is on the disk; from then on it will run, even if this process dies.
   *
   * @throws AppError `unavailable`
   */
  accept(accepted: AcceptedRun): Promise<void> {
    return this.acceptAll([accepted], accepted.alsoStore)
  }

  /**
   * The same for several runs in one commit; they start in this order.
   *
   * @throws AppError `unavailable`
   */
  async acceptAll(runs: readonly AcceptedRun[], alsoStore?: () => void): Promise<void> {
    this.#requireOpen()
    const { store, clock } = this.#options
    const now = clock.now()
    const isHere = runs.map(({ flow }) => this.#keepsOrderOf(flow))
    const texts = runs.map(({ start }) => writeStart(start))
    const put = () => {
      alsoStore?.()
      for (const [index, { run, request }] of runs.entries()) {
        const parts = { state: [texts[index] ?? ''], ...(request ? { request } : {}) }
        if (isHere[index] === true) store.flowRuns.insert(run, parts)
        else this.#enqueue(run, parts)
      }
    }
    const onlyAdds = alsoStore === undefined && runs.every(({ run }) => store.flowRuns.onlyAdds(run))
    const bytes = texts.reduce((sum, text) => sum + text.length, 0)
    if (++this.#callers >= MANY_CALLERS) this.#pressedAt = clock.monotonic()
    try {
      await this.#storeWaiting(runs.length, () => (onlyAdds ? store.append(put, bytes) : store.write(put)))
    } finally {
      this.#callers--
    }
    for (const [index, accepted] of runs.entries()) {
      if (isHere[index] === true) {
        this.#waiting--
        this.#accepted.add({ id: accepted.run.id, flowId: accepted.run.flow_id, at: now })
      }
      this.#keepPlan(accepted)
    }
    this.#claim()
  }

  /**
   * False if runs of the flow wait on the disk, or if the flow has a limit, because those runs count towards it too.
   */
  #keepsOrderOf({ id, settings }: RunnableFlow): boolean {
    return settings.concurrency === null && this.#storedFlows !== null && !this.#storedFlows.has(id)
  }

  /** Call inside a write. */
  #enqueue(run: FlowRun, parts: NewRunParts): void {
    this.#options.store.flowRuns.enqueue(run, parts)
    this.#storedFlows?.add(run.flow_id)
    this.#looksAtStored = true
  }

  #keepPlan({ run, flow, start }: AcceptedRun): void {
    const { secrets } = this.#options
    if (this.#plans.size < MOST_PLANS) {
      this.#plans.set(run.id, {
        flow,
        run: { ...run, status: 'running' },
        start,
        redactor: secrets.redactor(),
        request: null,
        isQueued: true,
        resumeData: null,
      })
    }
    this.#announce('created', run, run.status)
  }

  /**
   * Stores a run started by another run, however many are waiting. Call it inside a write, and `notifyEnqueued` after
   * it.
   */
  enqueue({ run, start }: AcceptedRun): void {
    this.#enqueue(run, { state: [writeStart(start)] })
  }

  /** Call after `enqueue` has stored a run. */
  notifyEnqueued(): void {
    this.#waiting++
    this.claimSoon()
  }

  /**
   * Resumes a run that has ended.
   *
   * @throws AppError `conflict` if no state was recorded to resume from, `unavailable`
   */
  async resume(run: FlowRun): Promise<void> {
    this.#requireOpen()
    const { store } = this.#options
    const parts = this.#readParts(run.id)
    const resumeData = parts && this.#readResumeData(run.id, parts)
    const entries = resumeData && entriesToRetry(resumeData, run.error)
    if (!parts || parts.length === 0 || !entries) throw nothingKept(run)
    await this.#storeWaiting(1, () =>
      store.write(() => {
        if (store.flowRuns.get(run.id)?.status !== run.status) throw goesOn(run)
        store.runStates.save(run.id, parts.length, writeResumeEntries(entries, 0))
        // Keeps the run's duration so far, to which the time from now on is added.
        store.flowRuns.save({ ...run, status: 'queued', finished_at: null, error: null })
        store.runQueue.release(run.id, this.#options.clock.now())
      }),
    )
    this.#announce('updated', run, 'queued')
    this.claimSoon()
  }

  /** Whether the run has to stop, and is only running its steps in `finally`. */
  isUnwinding(id: string): boolean {
    const parts = this.#readParts(id)
    return parts !== null && this.#readResumeData(id, parts).unwinding !== null
  }

  /**
   * Resumes a waiting run for its steps in `finally`, after which it is cancelled; false if it has none to run, or was
   * resumed for them before. Call it inside a write, and `claimSoon` after it.
   */
  unwind(run: FlowRun): boolean {
    const { store, runnable, clock } = this.#options
    const flow = runnable.version(run.flow_id, run.flow_version)
    const parts = this.#readParts(run.id)
    const start = parts && readStart(parts)
    if (!flow || !parts || !start) return false
    const data = this.#readResumeData(run.id, parts)
    if (data.unwinding !== null || !owesFinally(withSteps(flow, start).compiled.steps, data.steps))
      return false
    if (!store.runQueue.wake(run.id, clock.now())) return false
    const unwinding = RunHalt.from(null).toRunError(null)
    store.runStates.save(run.id, parts.length, writeResumeEntries([{ unwinding }], data.spentMs))
    return true
  }

  /**
   * Removes a waiting or parked run. Call it inside the write that ends the run. Without a plan in memory, the run is
   * looked up when it would start.
   */
  remove(runId: string): void {
    this.#plans.delete(runId)
    this.#options.store.runQueue.remove(runId)
  }

  /** Call when a place has become free or a run is waiting. */
  claimSoon(): void {
    this.#looksAtStored = true
    this.#claim()
  }

  /** While many callers wait, accepting their requests comes first, so runs only start at intervals. */
  #claim(): void {
    const now = this.#options.clock.monotonic()
    const restMs = this.#claimedAt + INTERVAL_MS - now
    if (restMs <= 0 || now - this.#pressedAt >= INTERVAL_MS) this.#claimNow()
    else this.#pause ??= setTimeout(() => this.#claimNow(), restMs)
  }

  #claimNow(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
    this.#claimedAt = this.#options.clock.monotonic()
    void this.#claimRuns()
  }

  /** Claims as many runs as there are free places. One claim at a time, to keep the order. */
  async #claimRuns(): Promise<void> {
    const { log } = this.#options
    this.#claimAgain = true
    if (this.#isClaiming) return
    this.#isClaiming = true
    try {
      while (this.#claimAgain && this.#isOpen) {
        this.#claimAgain = false
        await this.#claimIntoPlaces()
      }
    } catch (error) {
      log.error({ err: error }, 'No run could be taken from the queue; retrying in a moment')
    } finally {
      this.#isClaiming = false
    }
  }

  async #claimIntoPlaces(): Promise<void> {
    this.#mayClaimMore = true
    if (this.#places.free === 0) return this.#claimOverdue()
    const hasStored = this.#looksAtStored || this.#storedFlows === null || this.#storedFlows.size > 0
    // Runs from memory and from the disk each get a share.
    const share = this.#accepted.size > 0 ? 2 : 1
    const ids = hasStored ? await this.#claimStored(() => Math.ceil(this.#places.free / share)) : []
    for (const id of ids) void this.#execute(id, this.#places.take())
    const taken = await this.#takeAccepted(this.#places.free)
    for (const { id, flowId } of taken) void this.#execute(id, this.#places.take(), flowId)
    this.#mayClaimMore = this.#accepted.size > 0 || this.#storedFlows === null || this.#storedFlows.size > 0
  }

  /** Starts runs that have waited too long even if there is no free place. */
  async #claimOverdue(): Promise<void> {
    const { clock } = this.#options
    const now = clock.now()
    if (Math.abs(now - this.#lookedForOverdueAt) < OVERDUE_LOOK_MS) return
    this.#lookedForOverdueAt = now
    const readySince = now - OVERDUE_MS
    const ids = await this.#claimStored(() => this.#places.freeExtra, { readySince })
    for (const id of ids) void this.#execute(id, this.#places.takeExtra())
    const taken = await this.#takeAccepted(this.#places.freeExtra, readySince)
    for (const { id, flowId } of taken) void this.#execute(id, this.#places.takeExtra(), flowId)
  }

  async #claimStored(limitNow: () => number, more: { readySince?: number } = {}): Promise<readonly string[]> {
    const { runQueue, write } = this.#options.store
    const ids = await write(() => {
      const limit = limitNow()
      const claimed = limit > 0 ? runQueue.claim({ ...this.#claimOptions(limit), ...more }) : []
      this.#storedFlows = new Set(runQueue.readyFlows())
      this.#looksAtStored = false
      return claimed
    })
    this.#waiting = Math.max(0, this.#waiting - ids.length)
    return ids
  }

  /** Resolves once their start is on the disk. */
  async #takeAccepted(limit: number, since?: number): Promise<readonly WaitingRun[]> {
    const { store, runnable, clock } = this.#options
    const taken: WaitingRun[] = []
    while (taken.length < limit) {
      const next = this.#accepted.take((flowId) => this.#roomOf(flowId), since)
      if (next === null) break
      if (runnable.get(next.flowId) === null) this.#plans.delete(next.id)
      else taken.push(next)
    }
    if (taken.length === 0) return taken
    for (const { flowId } of taken) this.#countInProgress(flowId, 1)
    const now = clock.now()
    try {
      await store.append(() => {
        for (const { id } of taken) store.runQueue.take(id, now)
      }, taken.length * BYTES_OF_START)
    } catch (error) {
      for (const { flowId } of taken) this.#countInProgress(flowId, -1)
      this.#accepted.putBack(taken)
      throw error
    }
    return taken
  }

  /** The flow's runs in progress; null if no more of its runs can start. */
  #roomOf(flowId: string): number | null {
    const { runnable, concurrency } = this.#options
    const running = (this.#inProgress.get(flowId) ?? 0) + (concurrency.inUse.get(flowId) ?? 0)
    const limit = runnable.get(flowId)?.settings.concurrency ?? MOST_OF_FLOW
    return running < Math.min(limit, MOST_OF_FLOW) ? running : null
  }

  #countInProgress(flowId: string, by: 1 | -1): void {
    const count = (this.#inProgress.get(flowId) ?? 0) + by
    if (count > 0) this.#inProgress.set(flowId, count)
    else this.#inProgress.delete(flowId)
  }

  #claimOptions(limit: number) {
    const { clock, concurrency } = this.#options
    return { limit, now: clock.now(), besides: concurrency.inUse, mostOfFlow: MOST_OF_FLOW }
  }

  get #isOpen(): boolean {
    return this.#state === 'open'
  }

  /** Parked runs wake up by the wall clock, which can jump, so it is checked regularly. */
  #scheduleClaim(): void {
    const { store, clock } = this.#options
    clearTimeout(this.#claimTimer)
    if (!this.#isOpen) return
    const wakeAt = store.runQueue.nextWakeAt()
    const delay = wakeAt === null ? CLAIM_EVERY_MS : Math.max(0, Date.parse(wakeAt) - clock.now())
    this.#claimTimer = setTimeout(
      () => {
        this.claimSoon()
        this.#scheduleClaim()
      },
      Math.min(Math.max(delay, SHORTEST_CLAIM_DELAY_MS), CLAIM_EVERY_MS),
    )
  }

  /**
   * Executes a claimed run; its place becomes free whatever happens.
   *
   * @param counted the run's flow, if it has already been counted
   */
  async #execute(id: string, place: WorkPlace, counted: string | null = null): Promise<void> {
    const { executor, concurrency } = this.#options
    let flowId = counted
    const onEnding = () => {
      place.beginEnding()
      // Claims runs in the same commit once all other runs that end at this moment have ended.
      process.nextTick(() => this.#claim())
    }
    try {
      const plan = this.#takePlan(id) ?? (await this.#load(id))
      if (plan === null) return
      if (!this.#isOpen) return await this.#release(id)
      if (flowId === null) this.#countInProgress(plan.run.flow_id, 1)
      flowId = plan.run.flow_id
      const outcome = await executor.execute({ ...plan, place, beforeEndIsStored: onEnding }).outcome
      if (outcome.kind === 'halted') await this.#putBack(id, outcome.resumeAt, outcome.waitsFor)
    } catch (error) {
      await this.#settleFailure(id, error)
    } finally {
      place.leave()
      if (flowId !== null) {
        this.#countInProgress(flowId, -1)
        concurrency.released(flowId)
      }
      this.#claim()
    }
  }

  /** The plan of a run that this process accepted, if it is still in memory. */
  #takePlan(id: string): RunPlan | null {
    const plan = this.#plans.get(id)
    if (plan === null) return null
    this.#plans.delete(id)
    return { ...plan, run: { ...plan.run, started_at: this.#now() } }
  }

  /** Null if the run or its flow no longer exists, or the run can't be executed now. */
  async #load(id: string): Promise<RunPlan | null> {
    const { store, runnable, secrets } = this.#options
    const found = store.flowRuns.get(id)
    const flow = found && runnable.version(found.flow_id, found.flow_version)
    // A run can be cancelled in the same commit that claims it.
    if (!found || !flow || found.finished_at !== null) {
      await store.write(() => store.runQueue.remove(id))
      return null
    }
    const parts = this.#readParts(id)
    const start = parts && readStart(parts)
    if (!parts || !start) {
      await this.#endWithError(found, UNREADABLE)
      return null
    }
    const run = await this.#countAttempt(found)
    return {
      flow: withSteps(flow, start),
      run,
      start,
      redactor: secrets.redactor(),
      request: null,
      isQueued: true,
      resumeData: this.#readResumeData(id, parts),
    }
  }

  #readParts(id: string): readonly string[] | null {
    const { store, log } = this.#options
    try {
      return store.runStates.of(id)
    } catch (error) {
      log.error({ err: error, flowRunId: id }, "The state of a run can't be read")
      return null
    }
  }

  #readResumeData(id: string, parts: readonly string[]): ResumeData {
    return readResumeData(parts, (mark) => this.#options.recordFiles.read(id, mark))
  }

  async #countAttempt(found: FlowRun): Promise<FlowRun> {
    const run: FlowRun = { ...found, status: 'running', started_at: found.started_at ?? this.#now() }
    if (!this.#interruptedRuns.delete(found.id)) return run
    const counted = { ...run, attempt: found.attempt + 1 }
    await this.#options.store.write(() => this.#options.store.flowRuns.save(counted))
    return counted
  }

  /** Ends a run as failed but keeps its completed steps, so that a user can resume it. */
  async #setAside(id: string): Promise<void> {
    const { store, log } = this.#options
    const run = store.flowRuns.get(id)
    if (run === null) return
    log.error(
      { flowRunId: id },
      'Millrace stopped unexpectedly several times during a run, so it was set aside',
    )
    const parts = this.#readParts(id)
    await this.#endWithError(run, SET_ASIDE, (parts && readStart(parts)) ?? undefined)
  }

  async #putBack(id: string, resumeAt: number | null, waitsFor: readonly Awaited[] = []): Promise<void> {
    const { store, clock } = this.#options
    if (resumeAt === null) return this.#release(id)
    await store.write(() => {
      // The event that the run waits for may have happened before it was parked, and so can't wake it.
      const isReady = waitsFor.some((awaited) => this.#hasHappened(awaited))
      store.runQueue.park(id, new Date(isReady ? clock.now() : resumeAt).toISOString())
    })
    this.#scheduleClaim()
  }

  #hasHappened({ kind, id }: Awaited): boolean {
    const { store } = this.#options
    if (kind === 'callback') {
      const [runId = '', stepKey = ''] = id.split('/')
      return store.questions.findOfStep(runId, stepKey) !== null
    }
    if (kind === 'stop') return store.breakpoints.isDecided(id)
    if (kind === 'question') return (store.questions.get(id)?.answeredAt ?? null) !== null
    return (store.flowRuns.get(id)?.finished_at ?? null) !== null
  }

  async #release(id: string): Promise<void> {
    const { store } = this.#options
    await store.write(() => store.runQueue.release(id))
  }

  /**
   * A run that couldn't be written continues once the disk works again; any other failure would recur, and repeat its
   * side effects.
   */
  async #settleFailure(id: string, error: unknown): Promise<void> {
    const { clock, log } = this.#options
    const isOfDisk = error instanceof StoreWriteError
    log.error(
      { err: error, flowRunId: id },
      isOfDisk
        ? "A run couldn't be recorded; retrying in a moment"
        : "A run couldn't be recorded; it ends as failed",
    )
    await this.#untilWritten(() =>
      isOfDisk ? this.#putBack(id, clock.now() + this.#retryMs) : this.#endAsNotRecorded(id),
    )
  }

  /** On a full disk, this can't be written either, and nobody else would resume the run, so it is retried. */
  async #untilWritten(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch {
      const again = () => (this.#isOpen ? void this.#untilWritten(write) : undefined)
      setTimeout(again, this.#retryMs).unref()
    }
  }

  async #endAsNotRecorded(id: string): Promise<void> {
    const run = this.#options.store.flowRuns.get(id)
    const parts = this.#readParts(id)
    if (run !== null) await this.#endWithError(run, NOT_RECORDED, (parts && readStart(parts)) ?? undefined)
  }

  async #endWithError(run: FlowRun, error: RunError, start?: RunStart): Promise<void> {
    const { store, clock, onFailed } = this.#options
    const ended: FlowRun = { ...run, status: 'error', finished_at: this.#now(), error }
    const hasQueued = await store.write(() => {
      if (!store.flowRuns.save(ended)) return false
      const { parent_run_id: parent } = run
      const hasWoken =
        start?.awaitedByFlow === true && parent !== null && store.runQueue.wake(parent, clock.now())
      return onFailed(ended) || hasWoken
    })
    if (hasQueued) this.notifyEnqueued()
    this.#announce('updated', run, 'error')
  }

  /** Reports the failure of a run whose process ended before it could. */
  #reportFailure(id: string): void {
    const { store, onFailed } = this.#options
    const run = store.flowRuns.get(id)
    if (run) onFailed(run)
  }

  /** Counts a run as waiting from now on, unless the write fails. */
  async #storeWaiting(count: number, write: () => Promise<void>): Promise<void> {
    this.#waiting += count
    try {
      await write()
    } catch (error) {
      this.#waiting -= count
      throw error
    }
  }

  #requireOpen(): void {
    if (this.#state === 'stopped' || this.#waiting + this.#accepted.size >= MOST_WAITING)
      throw unavailable(this.#state)
    if (this.#options.store.secretBox.locked) throw locked()
  }

  #announce(type: 'created' | 'updated', { id, flow_id }: FlowRun, status: FlowRun['status']): void {
    this.#options.events.emit({ type, noun: 'flow_run', id, flow_id, status })
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString()
  }
}

/** The editor may have started the run with steps that aren't a version of the flow. */
function withSteps(flow: RunnableFlow, { steps }: RunStart): RunPlan['flow'] {
  return steps === undefined ? flow : { ...flow, compiled: compileFlow({ ...flow, steps }) }
}

function nothingKept({ id }: FlowRun): AppError {
  return new AppError(
    'conflict',
    say("Run {{id}} can't be resumed: no state was stored; replay it instead", { id }),
  )
}

function goesOn({ id }: FlowRun): AppError {
  return new AppError('conflict', say('Run {{id}} was already resumed or deleted', { id }))
}

function locked(): AppError {
  return new AppError(
    'unavailable',
    say('Runs can\'t be accepted while the master key is missing; import it with "millrace key import"'),
    { headers: { 'Retry-After': '60' } },
  )
}

function unavailable(state: string): AppError {
  return new AppError(
    'unavailable',
    state === 'stopped'
      ? say('Millrace is stopping; send it again in a moment')
      : say('More than {{most}} runs are waiting; send it again in a moment', { most: MOST_WAITING }),
    { headers: { 'Retry-After': '5' } },
  )
}

/** If this many callers wait at the same time, they send more than can be accepted and executed. */
const MANY_CALLERS = 8
/**
 * Time between two starts while many callers wait. A longer time would speed up accepting, but under a steady stream of
 * requests, more runs would be left waiting.
 */
const INTERVAL_MS = 25
/** Estimated size in memory of a run's start until it is written. */
const BYTES_OF_START = 256
/** Plans kept in memory for waiting runs. */
const MOST_PLANS = 1_000
const MOST_WAITING = 100_000
const RETRY_MS = 5_000
const CLAIM_EVERY_MS = 10_000
/**
 * Together with the longest time between two claims this stays below the 45 s within which every accepted run starts.
 */
const OVERDUE_MS = 30_000
const OVERDUE_LOOK_MS = 1_000
/** Limit for concurrent runs of one flow, most of them waiting, so that other flows have room. */
const MOST_OF_FLOW = 450
const SHORTEST_CLAIM_DELAY_MS = 5

const UNREADABLE = runError(
  'interrupted',
  say("The run's data can't be decrypted on this machine; send it again"),
)
const SET_ASIDE = runError(
  'interrupted',
  say(
    'Millrace stopped unexpectedly {{count}} times during this run, so it was set aside; resume it to try again',
    { count: MOST_DEATHS },
  ),
)
