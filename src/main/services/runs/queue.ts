/** The queue: accepted runs, executed as workers become free, in the order in which they were accepted. */
import type { FlowRun, RunError } from '../../../shared/contract/flow-runs.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { compileFlow } from '../../engine/flow/definition/compile-flow.ts'
import type { Clock } from '../../engine/ports.ts'
import { StoreWriteError } from '../../store/sql/errors.ts'
import type { Store } from '../../store/index.ts'
import type { NewWebhookRequest } from '../../store/runs/webhook-requests.ts'
import type { EventsService } from '../kit/live-events.ts'
import type { FlowConcurrency } from '../execution/flow-concurrency.ts'
import type { KnownSecrets } from '../secrets/known-secrets.ts'
import { EphemeralMap } from '../execution/ephemeral-map.ts'
import type { Log } from '../kit/ports.ts'
import type { RecordFilesService } from '../files/record-files.ts'
import type { RunExecutor, RunPlan } from '../execution/run-executor.ts'
import {
  readResumeData,
  readStart,
  entriesToRetry,
  type RunStart,
  writeResumeEntries,
  writeStart,
} from '../execution/resume-log.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import { NOT_RECORDED, runError } from '../execution/unrecorded-runs.ts'

export interface QueueService {
  /**
   * Resolves once the run is on the disk; from then on it runs, whatever becomes of this process.
   *
   * @throws AppError `unavailable`
   */
  accept(accepted: AcceptedRun): Promise<void>
  /** Stores a run that another run starts, however many wait. Call it inside a write, and `notifyEnqueued` after it. */
  enqueue(accepted: AcceptedRun): void
  /** A run was stored by `enqueue`. */
  notifyEnqueued(): void
  /** A place has become free. */
  claimSoon(): void
  /**
   * Resumes a run that has ended.
   *
   * @throws AppError `conflict` if nothing was recorded to resume it from, `unavailable`
   */
  resume(run: FlowRun): Promise<void>
  /** Resumes the runs of an earlier process, and begins to execute. */
  start(): Promise<void>
  /** Executes no more. The caller halts the runs under way. */
  stop(): void
  /** Removes a run that waits or is parked. Call it inside a write. */
  remove(runId: string): void
}

export interface AcceptedRun {
  readonly run: FlowRun
  readonly flow: RunnableFlow
  readonly start: RunStart
  readonly request?: NewWebhookRequest
  /** What is to be stored in the same commit; where it throws, the run is not accepted. */
  readonly alsoStore?: () => void
}

export interface QueueOptions {
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
  /** Called inside the write that stores the end of a run that failed; true where it stored another run. */
  readonly onFailed: (run: FlowRun) => boolean
  /** In place of the ordinary 5 s after which a run that could not be recorded is tried again. */
  readonly retryMs?: number | undefined
}

export function createQueueService(options: QueueOptions): QueueService {
  const {
    store,
    runnable,
    executor,
    concurrency,
    recordFiles,
    secrets,
    settings,
    clock,
    events,
    log,
    onFailed,
  } = options
  const { retryMs = RETRY_MS } = options
  /** Plans of waiting runs that this process accepted, so that they need not be read again. */
  const plans = new EphemeralMap<RunPlan>()
  /** Runs that were under way when an earlier process ended. */
  const interruptedRuns = new Set<string>()
  let busy = 0
  /** Of the busy ones those whose end is about to be stored: runs that take their places are claimed along with that. */
  let ending = 0
  let waiting = 0
  let state: 'new' | 'open' | 'stopped' = 'new'
  let isClaiming = false
  let claimAgain = false
  let claimTimer: NodeJS.Timeout | undefined
  const isOpen = () => state === 'open'

  /** Claims as many runs as there are free workers. One claim at a time, so that the order is kept. */
  async function claimRuns(): Promise<void> {
    claimAgain = true
    if (isClaiming) return
    isClaiming = true
    try {
      while (claimAgain && isOpen()) {
        claimAgain = false
        if (freePlaces() <= 0) break
        const ids = await store.write(() => {
          const limit = freePlaces()
          return limit > 0
            ? store.runQueue.claim({ limit, now: clock.now(), besides: concurrency.inUse })
            : []
        })
        busy += ids.length
        for (const id of ids) void execute(id)
      }
    } catch (error) {
      log.error({ err: error }, 'No run could be taken from the queue; tried again in a moment')
    } finally {
      isClaiming = false
    }
  }

  const freePlaces = () => settings().concurrent_runs - busy + ending

  /** Executes a claimed run; whatever becomes of it, its worker comes free. */
  async function execute(id: string): Promise<void> {
    let flowId: string | null = null
    let isEnding = false
    const onEnding = () => {
      isEnding = true
      ending++
      // After the ends of all others of this moment, and in the same commit.
      process.nextTick(() => void claimRuns())
    }
    waiting = Math.max(0, waiting - 1)
    try {
      const plan = takePlan(id) ?? (await load(id))
      if (plan === null) return
      if (!isOpen()) return await release(id)
      flowId = plan.run.flow_id
      const outcome = await executor.execute({ ...plan, onEnding }).outcome
      if (outcome.kind === 'halted') await putBack(id, outcome.resumeAt, outcome.waitsFor)
    } catch (error) {
      await afterFailure(id, error)
    } finally {
      busy--
      if (isEnding) ending--
      if (flowId !== null) concurrency.released(flowId)
      void claimRuns()
    }
  }

  /** The plan of a run that this process accepted; it starts now, however long it has waited. */
  function takePlan(id: string): RunPlan | null {
    const plan = plans.get(id) ?? null
    if (plan === null) return null
    plans.delete(id)
    return { ...plan, run: { ...plan.run, started_at: new Date(clock.now()).toISOString() } }
  }

  /** A run that the disk did not take continues once it does; any other failure would happen again, and its effects too. */
  async function afterFailure(id: string, error: unknown): Promise<void> {
    const isOfDisk = error instanceof StoreWriteError
    const what = isOfDisk ? 'it is tried again in a moment' : 'it ends as failed'
    log.error({ err: error, flowRunId: id }, `A run could not be recorded; ${what}`)
    await untilWritten(() => (isOfDisk ? putBack(id, clock.now() + retryMs) : endAsNotRecorded(id)))
  }

  async function endAsNotRecorded(id: string): Promise<void> {
    const run = store.flowRuns.get(id)
    const parts = readParts(id)
    if (run !== null) await endWithError(run, NOT_RECORDED, (parts && readStart(parts)) ?? undefined)
  }

  /** A full disk does not take this either, and nobody else would take the run up: it is written once it can be. */
  async function untilWritten(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch {
      const again = () => (isOpen() ? void untilWritten(write) : undefined)
      setTimeout(again, retryMs).unref()
    }
  }

  async function putBack(id: string, resumeAt: number | null, waitsFor: string | null = null): Promise<void> {
    if (resumeAt === null) return release(id)
    await store.write(() => {
      // The run it waits for may have ended before this one was parked, and then wakes it no more.
      const isReady = waitsFor !== null && (store.flowRuns.get(waitsFor)?.finished_at ?? null) !== null
      store.runQueue.park(id, new Date(isReady ? clock.now() : resumeAt).toISOString())
    })
    scheduleClaim()
  }

  async function release(id: string): Promise<void> {
    await store.write(() => store.runQueue.release(id))
  }

  /** Null where the run or its flow is gone, or it cannot be executed any more. */
  async function load(id: string): Promise<RunPlan | null> {
    const found = store.flowRuns.get(id)
    const flow = found && runnable.version(found.flow_id, found.flow_version)
    // One may be cancelled in the very commit in which it is claimed.
    if (!found || !flow || found.finished_at !== null) {
      await store.write(() => store.runQueue.remove(id))
      return null
    }
    const parts = readParts(id)
    const start = parts && readStart(parts)
    if (!parts || !start) {
      await endWithError(
        found,
        runError('interrupted', 'What the run needs cannot be decrypted on this machine; send it again'),
      )
      return null
    }
    const run = await countAttempt(found, start)
    if (run === null) return null
    const compiled = start.steps === undefined ? flow.compiled : compileFlow({ ...flow, steps: start.steps })
    const resumeData = readResumeData(parts, (mark) => recordFiles.read(id, mark))
    return {
      flow: { ...flow, compiled, readers: start.readers ?? flow.readers },
      run,
      start,
      redactor: secrets.redactor(),
      request: null,
      isQueued: true,
      resumeData,
    }
  }

  function readParts(id: string): readonly string[] | null {
    try {
      return store.runStates.of(id)
    } catch (error) {
      log.error({ err: error, flowRunId: id }, 'The state of a run cannot be read')
      return null
    }
  }

  /** A run that ends the process each time must not do so forever. */
  async function countAttempt(found: FlowRun, start: RunStart): Promise<FlowRun | null> {
    const startedAt = found.started_at ?? new Date(clock.now()).toISOString()
    const run: FlowRun = { ...found, status: 'running', started_at: startedAt }
    if (!interruptedRuns.delete(found.id)) return run
    if (found.attempt >= MAX_ATTEMPTS) {
      await endWithError(
        found,
        runError(
          'interrupted',
          `Millrace ended ${MAX_ATTEMPTS} times while this run was in progress; it is not tried again`,
        ),
        start,
      )
      return null
    }
    const counted = { ...run, attempt: found.attempt + 1 }
    if (counted.attempt > IMMEDIATE_ATTEMPTS) {
      await backOff({ ...found, attempt: counted.attempt })
      return null
    }
    await store.write(() => store.flowRuns.save(counted))
    return counted
  }

  /** It may be what ends the process; others get their turn first, and more of it each time. */
  async function backOff(run: FlowRun): Promise<void> {
    const waitMs = Math.min(1_000 * 2 ** (run.attempt - IMMEDIATE_ATTEMPTS - 1), LONGEST_BACK_OFF_MS)
    const wakeAt = new Date(clock.now() + waitMs).toISOString()
    await store.write(() => {
      store.flowRuns.save(run)
      store.runQueue.park(run.id, wakeAt)
    })
    scheduleClaim()
  }

  async function endWithError(run: FlowRun, error: RunError, start?: RunStart): Promise<void> {
    const at = new Date(clock.now()).toISOString()
    const ended: FlowRun = { ...run, status: 'error', finished_at: at, error }
    const hasQueued = await store.write(() => {
      if (!store.flowRuns.save(ended)) return false
      const { parent_run_id: parent } = run
      const hasWoken =
        start?.awaitedByFlow === true && parent !== null && store.runQueue.wake(parent, clock.now())
      return onFailed(ended) || hasWoken
    })
    if (hasQueued) notifyEnqueued()
    events.emit({ type: 'updated', noun: 'flow_run', id: run.id, flow_id: run.flow_id, status: 'error' })
  }

  /** Its process ended before it could report the failure. */
  function failedBefore(id: string): void {
    const run = store.flowRuns.get(id)
    if (run) onFailed(run)
  }

  function notifyEnqueued(): void {
    waiting++
    void claimRuns()
  }

  /** Parked runs wake by the wall clock, which may jump: it is checked every so often. */
  function scheduleClaim(): void {
    clearTimeout(claimTimer)
    if (!isOpen()) return
    const wakeAt = store.runQueue.nextWakeAt()
    const delay = wakeAt === null ? CLAIM_EVERY_MS : Math.max(0, Date.parse(wakeAt) - clock.now())
    claimTimer = setTimeout(
      () => {
        void claimRuns()
        scheduleClaim()
      },
      Math.min(Math.max(delay, SHORTEST_CLAIM_DELAY_MS), CLAIM_EVERY_MS),
    )
  }

  function requireOpen(): void {
    if (state === 'stopped' || waiting >= MOST_WAITING) throw unavailable(state)
    if (store.secretBox.locked) {
      throw new AppError(
        'unavailable',
        'Runs cannot be accepted while the master key is missing; import it with "millrace key import"',
        {
          headers: { 'Retry-After': '60' },
        },
      )
    }
  }

  return {
    async resume(run) {
      requireOpen()
      const parts = readParts(run.id)
      const resumeData = parts && readResumeData(parts, (mark) => recordFiles.read(run.id, mark))
      const entries = resumeData && entriesToRetry(resumeData, run.error)
      if (!parts || parts.length === 0 || !entries) throw nothingKept(run)
      waiting++
      try {
        await store.write(() => {
          if (store.flowRuns.get(run.id)?.status !== run.status) throw goesOn(run)
          store.runStates.save(run.id, parts.length, writeResumeEntries(entries))
          store.flowRuns.save({ ...run, status: 'queued', finished_at: null, duration_ms: null, error: null })
          store.runQueue.release(run.id)
        })
      } catch (error) {
        waiting--
        throw error
      }
      events.emit({ type: 'updated', noun: 'flow_run', id: run.id, flow_id: run.flow_id, status: 'queued' })
      void claimRuns()
    },
    async accept({ run, flow, start, request, alsoStore }) {
      requireOpen()
      const text = writeStart(start)
      waiting++
      try {
        await store.write(() => {
          alsoStore?.()
          store.flowRuns.enqueue(run, { state: [text], ...(request ? { request } : {}) })
        })
      } catch (error) {
        waiting--
        throw error
      }
      if (plans.size < MOST_PLANS) {
        plans.set(run.id, {
          flow,
          run: { ...run, status: 'running' },
          start,
          redactor: secrets.redactor(),
          request: null,
          isQueued: true,
          resumeData: null,
        })
      }
      events.emit({ type: 'created', noun: 'flow_run', id: run.id, flow_id: run.flow_id, status: run.status })
      void claimRuns()
    },
    enqueue: ({ run, start }) => store.flowRuns.enqueue(run, { state: [writeStart(start)] }),
    notifyEnqueued,
    claimSoon: () => void claimRuns(),
    async start() {
      const { requeued } = await store.write(() => {
        const recovered = store.recover(new Date(clock.now()).toISOString())
        for (const id of recovered.interrupted) failedBefore(id)
        return recovered
      })
      for (const id of requeued) interruptedRuns.add(id)
      waiting = store.runQueue.count().ready
      state = 'open'
      void claimRuns()
      scheduleClaim()
    },
    stop() {
      state = 'stopped'
      clearTimeout(claimTimer)
    },
    remove(runId) {
      plans.delete(runId)
      store.runQueue.remove(runId)
    },
  }
}

function nothingKept({ id }: FlowRun): AppError {
  return new AppError('conflict', `Nothing was kept of run ${id} to go on with; replay it from its beginning`)
}

function goesOn({ id }: FlowRun): AppError {
  return new AppError('conflict', `Run ${id} goes on already, or is gone`)
}

function unavailable(state: string): AppError {
  const why = state === 'stopped' ? 'Millrace is stopping' : `More than ${MOST_WAITING} runs are waiting`
  return new AppError('unavailable', `${why}; send it again in a moment`, { headers: { 'Retry-After': '5' } })
}

/** Plans held in memory for runs that wait. */
const MOST_PLANS = 1_000
const MOST_WAITING = 100_000
const MAX_ATTEMPTS = 50
/** Up to this many attempts a run continues at once. */
const IMMEDIATE_ATTEMPTS = 5
const LONGEST_BACK_OFF_MS = 10 * 60_000
const RETRY_MS = 5_000
const CLAIM_EVERY_MS = 15_000
const SHORTEST_CLAIM_DELAY_MS = 5
