import type { FlowRun, FlowRunStep, RunError } from '../../../../shared/contract/flow-runs.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { isoOf } from '../../../../shared/iso-time.ts'
import { type Data, detachLists, estimateBytes, getKey, isDictionary, isList } from '@millrace/jinja/data'
import { redactKeptExchange } from '../../../engine/redaction/redacted-exchange.ts'
import { redactSpoken } from '../../../engine/redaction/redacted-value.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import {
  type FlowEvent,
  type RunRecorder,
  type RunEnd,
  stepKey,
} from '../../../engine/flow/model/run-events.ts'
import type { StepReport } from '../../../engine/flow/model/step-report.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { WebhookResponse } from '../../../engine/webhook/build-response.ts'
import type { CountedFigure, NewStep, NewWebhookRequest, Store } from '../../../store/index.ts'
import {
  type ResumeData,
  type RunStart,
  type ResumeEntry,
  type UnwindingEntry,
  writeResumeEntries,
  writeResults,
  writeStart,
} from './resume-log.ts'
import { redactError, toStepRecord } from './step-record.ts'

export interface HistoryRecorderOptions {
  readonly store: Pick<
    Store,
    'figures' | 'flowRuns' | 'runSteps' | 'runStates' | 'webhookRequests' | 'secretBox' | 'write' | 'append'
  >
  readonly clock: Clock
  readonly redactor: Redactor
  readonly run: FlowRun
  readonly start: RunStart
  /** The request that started the run and waits for a response. */
  readonly request: PendingRequest | null
  /** Whether the run was accepted before and so is in the database already. */
  readonly isStored: boolean
  /** Whether the run can be resumed, even after a crash, because its state is recorded as it runs. */
  readonly resumable: boolean
  /** Whether its state is recorded when it fails, so that it can be resumed. */
  readonly keepsFailure: boolean
  readonly resumeData: ResumeData | null
  /** The flow's setting; if off, only failed steps are shown. */
  readonly logAllSteps: boolean
  /** False if the flow keeps no history, so that the run's rows only exist as long as they are needed. */
  readonly keepsHistory: boolean
  /** Called with each response once it is in the history. */
  readonly afterAnswerIsStored: (answer: WebhookResponse) => void
  /** Called inside the write that stores the response, to store more with it. */
  readonly storeWithAnswer?: ((answer: WebhookResponse) => void) | undefined
  /** Called inside the write that stores the end, to store more with it. */
  readonly storeWithEnd?: (run: FlowRun) => void
  /** Called when the run has ended, before that is stored. */
  readonly beforeEndIsStored?: (() => void) | undefined
  readonly onCommitted: (run: FlowRun) => void
}

/** A request whose response isn't known yet. */
export interface PendingRequest {
  readonly record: Omit<NewWebhookRequest, 'status' | 'duration_ms'>
  /** Monotonic clock. */
  readonly receivedAt: number
}

/**
 * Records a run in the history whenever the engine asks for it, in the commit that everything in this event loop
 * iteration shares. A run without outside effects is a single insert.
 *
 * A class, because there is one for each run: V8 allocates functions of object literals for long lives, and whatever
 * they capture would stay in memory until the next major garbage collection.
 */
export class HistoryRecorder implements RunRecorder {
  readonly #options: HistoryRecorderOptions
  readonly #keepsHistory: boolean
  readonly #startedAt: number
  #run: FlowRun
  #isStored: boolean
  #parts: number
  /** The history has no steps at this position or after it. */
  #storedTo: number
  #isRequestOpen: boolean
  #hasToldEnd = false
  #hasEndedWithError = false
  #nextPosition = 0
  /** Steps of a resumed run before the resume, by position; null if the history doesn't have them. */
  readonly #before = new Map<number, FlowRunStep | null>()
  readonly #firstNewPosition: number
  /** Pending changes for the next commit. */
  #changed = new Set<StepReport>()
  #entries: (ResumeEntry | UnwindingEntry)[] = []
  #counts: Counts = NO_COUNTS
  #unwrittenAnswer: WebhookResponse | null = null
  /** Stored at the end, for display. */
  #lastAnswer: WebhookResponse | null = null
  #answerStatus: number | null = null
  #end: RunEnd | null = null
  #spentMs = 0
  #events = 0
  /** Events for the history since the last commit. */
  #shownSince = 0
  #committedAt: number
  /** The commit that isn't on the disk yet. */
  #underWay: Promise<void> | null = null
  /** The commit after it, for all who asked in the meantime. */
  #next: Promise<void> | null = null
  #soon: NodeJS.Timeout | null = null

  constructor(options: HistoryRecorderOptions) {
    const { clock, run, start, request, isStored, resumeData } = options
    this.#options = options
    // Output for another flow is kept until that flow has read it; housekeeping removes it soon after.
    this.#keepsHistory = options.keepsHistory || start.awaitedByFlow === true
    this.#startedAt = clock.monotonic()
    this.#committedAt = this.#startedAt
    this.#run = run
    this.#isStored = isStored
    this.#parts = resumeData?.parts ?? (isStored ? 1 : 0)
    // A resumed run may show steps that are not in its state.
    this.#storedTo = resumeData === null ? 0 : Infinity
    this.#isRequestOpen = request !== null
    for (const position of resumeData?.positions.values() ?? [])
      this.#nextPosition = Math.max(this.#nextPosition, position + 1)
    this.#firstNewPosition = this.#nextPosition
  }

  /** The run as it is now. */
  get run(): FlowRun {
    return this.#run
  }

  /** Whether any part of the run is in the database. */
  get isStored(): boolean {
    return this.#isStored
  }

  /**
   * Sets the status of a response that isn't the flow's own, because the flow took too long. Stored with the next
   * commit.
   */
  setAnswerStatus(status: number): void {
    this.#answerStatus ??= status
  }

  /**
   * Ends a run that can't be recorded properly: with this error, and without the pending changes, which may be the
   * cause. Later commits do nothing.
   *
   * @param status the status of the response, if a caller is waiting
   */
  async endWithError(error: RunError, status: number): Promise<void> {
    this.#hasEndedWithError = true
    this.#comesNow()
    const { store, clock, request, storeWithEnd: onEnd, onCommitted } = this.#options
    const at = clock.now()
    const run: FlowRun = {
      ...this.#run,
      status: 'error',
      error,
      finished_at: isoOf(at),
      duration_ms: this.#durationMs(at),
    }
    const answered =
      request === null || !this.#isRequestOpen
        ? undefined
        : { ...request.record, status, duration_ms: clock.monotonic() - request.receivedAt }
    await store.write(() => {
      if (!this.#keepsHistory) store.flowRuns.deleteWhole(run.id)
      else if (this.#isStored) {
        store.flowRuns.save(run)
        if (answered) store.webhookRequests.insert(answered)
      } else store.flowRuns.insert(run, { request: answered })
      onEnd?.(run)
    })
    this.#run = run
    onCommitted(run)
  }

  record(event: FlowEvent): void {
    switch (event.type) {
      case 'step_started':
        this.#show(event.report)
        if (event.report.step.outside) this.#addEntry(event.report, {})
        break
      case 'step_updated':
        if (event.report.status === 'retrying') this.#addEntry(event.report, {})
        this.#show(event.report)
        break
      case 'step_waits': {
        const exchange = event.report.exchanges.at(-1)
        if (exchange !== undefined) redactKeptExchange(exchange, this.#options.redactor)
        return
      }
      case 'step_progress':
        if (event.shorten !== undefined) this.#shorten(event.report, event.shorten)
        this.#addEntry(event.report, { progress: event.part })
        break
      case 'step_warned':
        this.#addEntry(event.report, { warning: event.warning })
        break
      case 'step_finished': {
        const { report } = event
        this.#show(report)
        this.#count(report)
        if (report.status !== 'skipped')
          this.#addEntry(report, { end: report.error ? { error: report.error } : { output: report.output } })
        break
      }
      case 'answered':
        this.#unwrittenAnswer = event.answer
        this.#lastAnswer = event.answer
        this.#answerStatus ??= event.answer.status
        break
      case 'time_spent':
        this.#spentMs = event.ms
        break
      case 'unwinding':
        this.#entries.push({ unwinding: event.error })
        break
      case 'run_finished':
        this.#end = event.end
    }
    if (++this.#events % EVENTS_PER_LOOK !== 0) return
    const isMuch = this.#keepsHistory && this.#shownSince > MOST_SHOWN_AT_ONCE
    if (isMuch || this.#options.clock.monotonic() - this.#committedAt > SHOW_EVERY_MS) this.#commitMeanwhile()
  }

  /** Commits at once if nothing of the run is in the history yet, so that the run would be there after a crash. */
  commitSoon(): void {
    if (!this.#isStored) this.#commitMeanwhile()
    else this.#soon ??= setTimeout(() => this.#commitMeanwhile(), SOON_MS).unref()
  }

  /** Commits happen one after another: a failed one gives back its changes, and the next one includes them. */
  commit(): Promise<void> {
    if (this.#underWay !== null)
      return (this.#next ??= this.#underWay
        .catch(() => undefined)
        .then(() => {
          this.#next = null
          return this.commit()
        }))
    this.#comesNow()
    if (this.#hasEndedWithError) return Promise.resolve()
    return (this.#underWay = this.#commitNow())
  }

  async #commitNow(): Promise<void> {
    const batch = this.#takeBatch()
    this.#committedAt = this.#options.clock.monotonic()
    if (this.#end && !this.#hasToldEnd) {
      this.#hasToldEnd = true
      this.#options.beforeEndIsStored?.()
    }
    const { store } = this.#options
    const isAppended = this.#onlyAdds()
    try {
      if (isAppended) await store.append(() => this.#put(batch), this.#bytes())
      else await store.write(() => this.#put(batch))
    } catch (error) {
      this.#giveBack(batch)
      throw error
    } finally {
      this.#underWay = null
    }
    if (batch.answer) this.#options.afterAnswerIsStored(batch.answer)
    this.#options.onCommitted(this.#run)
  }

  /**
   * Whether the next write needs no stored data, because it is the first one since the run was accepted, or the very
   * first.
   */
  #onlyAdds(): boolean {
    const { run, start, request, storeWithAnswer, resumeData, store } = this.#options
    const isFirst = this.#storedTo === 0 && resumeData === null
    const isKnown = this.#isStored ? request === null : store.flowRuns.onlyAdds(run)
    const endsWell = this.#end === null || (this.#end.status === 'success' && start.awaitedByFlow !== true)
    return isFirst && isKnown && endsWell && this.#keepsHistory && storeWithAnswer === undefined
  }

  /** The request's body is held several times: parsed, as the step's input, and as text. */
  #bytes(): number {
    return BYTES_OF_RUN + 4 * (this.#options.request?.record.size ?? 0)
  }

  #positionOf(report: StepReport): number {
    report.position ??=
      this.#options.resumeData?.positions.get(stepKey(report.step.path, report.iteration)) ??
      this.#nextPosition++
    return report.position
  }

  #isShown(report: StepReport): boolean {
    if (report.status === 'error') return true
    const hasRoom = report.position !== null || this.#nextPosition < LIMITS.shownSteps
    return this.#options.logAllSteps && hasRoom
  }

  #show(report: StepReport): void {
    if (!this.#isShown(report)) return
    this.#positionOf(report)
    this.#changed.add(report)
    this.#shownSince++
  }

  #count(report: StepReport): void {
    const { step, output, exchangeCount, limitedCalls, refusedCalls, failedCalls } = report
    const bad = limitedCalls + refusedCalls + failedCalls
    const calls = {
      answered: exchangeCount - bad,
      limited: limitedCalls,
      refused: refusedCalls,
      failed: failedCalls,
    }
    const records = { read: report.recordsRead, ...report.merged, ...writtenBy(step.type, output) }
    for (const [of, counts] of [['calls', calls] as const, ['records', records] as const])
      for (const [status, count] of Object.entries(counts))
        if (count > 0) this.#counts = addCount(this.#counts, of, status, count)
  }

  #addEntry(report: StepReport, more: Pick<ResumeEntry, 'progress' | 'warning' | 'end'>): void {
    if (!report.isResumable || (!this.#options.resumable && !this.#options.keepsFailure)) return
    const key = stepKey(report.step.path, report.iteration)
    this.#entries.push({ key, position: this.#positionOf(report), attempt: report.attempt, ...more })
  }

  /** Entries of a run that can't be resumed stay here until it fails or ends. */
  #shorten({ step, iteration }: StepReport, shorten: (earlier: Data) => Data): void {
    const key = stepKey(step.path, iteration)
    this.#entries = this.#entries.map((entry) =>
      !('unwinding' in entry) && entry.key === key && entry.progress !== undefined
        ? { ...entry, progress: shorten(entry.progress) }
        : entry,
    )
  }

  /** Makes a long run visible even if its steps have no outside effects. */
  #commitMeanwhile(): void {
    // The next commit includes everything that wasn't written.
    if (this.#underWay === null) this.commit().catch(() => undefined)
  }

  #comesNow(): void {
    if (this.#soon !== null) clearTimeout(this.#soon)
    this.#soon = null
  }

  #takeBatch(): Batch {
    const batch: Batch = {
      changed: this.#changed,
      entries: this.#entries,
      counts: this.#counts,
      answer: this.#unwrittenAnswer,
      end: this.#end,
      before: null,
    }
    this.#changed = new Set()
    this.#counts = NO_COUNTS
    this.#shownSince = 0
    this.#unwrittenAnswer = null
    if (this.#options.resumable || this.#end) this.#entries = []
    else batch.entries = []
    return batch
  }

  /** Restores the batch after a failed commit. */
  #giveBack(batch: Batch): void {
    this.#changed = new Set([...batch.changed, ...this.#changed])
    this.#entries = [...batch.entries, ...this.#entries]
    for (const { of, status, count } of batch.counts.values())
      this.#counts = addCount(this.#counts, of, status, count)
    this.#unwrittenAnswer ??= batch.answer
    if (batch.before) this.#goBackTo(batch.before)
  }

  #goBackTo({ run, isStored, parts, storedTo, isRequestOpen }: Before): void {
    this.#run = run
    this.#isStored = isStored
    this.#parts = parts
    this.#storedTo = storedTo
    this.#isRequestOpen = isRequestOpen
  }

  /** Can be called twice for one commit if the first attempt is rolled back, so it starts from the same state. */
  #put(batch: Batch): void {
    if (batch.before) this.#goBackTo(batch.before)
    else
      batch.before = {
        run: this.#run,
        isStored: this.#isStored,
        parts: this.#parts,
        storedTo: this.#storedTo,
        isRequestOpen: this.#isRequestOpen,
      }
    this.#run = this.#runNow(batch)
    if (this.#keepsHistory || !batch.end) {
      if (this.#isStored) this.#update(batch)
      else this.#insert(batch)
      this.#isStored = true
    } else if (this.#isStored) this.#options.store.flowRuns.deleteWhole(this.#run.id)
    if (batch.counts.size > 0 && this.#run.trigger !== 'test')
      this.#options.store.figures.add(this.#run.flow_id, this.#options.clock.now(), batch.counts.values())
    if (batch.answer) this.#options.storeWithAnswer?.(batch.answer)
    if (batch.end) this.#options.storeWithEnd?.(this.#run)
  }

  #insert(batch: Batch): void {
    const { store, start, redactor } = this.#options
    const { end } = batch
    const results = end ? keptResults(end) : undefined
    const state = store.secretBox.locked ? [] : [writeStart(start, results, end && this.#lastAnswer)]
    if (state.length > 0 && batch.entries.length > 0 && end?.status !== 'success')
      state.push(writeResumeEntries(batch.entries, this.#spentMs))
    const steps = stepRecords(batch.changed, redactor)
    store.flowRuns.insert(this.#run, { steps, state, request: this.#closedRequest(end) ?? undefined })
    this.#parts = state.length
    this.#storedTo = this.#nextPosition
  }

  #update({ changed: reports, entries: added, end }: Batch): void {
    const { store } = this.#options
    this.#saveSteps(reports)
    store.flowRuns.save(this.#run)
    const answered = this.#closedRequest(end)
    if (answered) store.webhookRequests.insert(answered)
    if (store.secretBox.locked || this.#parts === 0) return
    if (end) this.#keepAtEnd(end, added)
    else if (added.length > 0) this.#addPart(writeResumeEntries(added, this.#spentMs))
  }

  #addPart(text: string): void {
    this.#options.store.runStates.save(this.#run.id, this.#parts++, text)
  }

  /**
   * Stores adjacent steps together. A running step isn't rewritten at each of its calls, but less often the longer it
   * takes, because a list can have megabytes of responses.
   */
  #saveSteps(reports: ReadonlySet<StepReport>): void {
    const { store, clock, redactor } = this.#options
    const now = clock.monotonic()
    const due = [...reports]
      .filter((report) => report.status !== 'running' || now >= report.dueAt)
      .map((report) => ({ report, position: this.#positionOf(report) }))
      .toSorted((a, b) => a.position - b.position)
    for (let from = 0, to = 0; from < due.length; from = to) {
      const first = due[from]?.position ?? 0
      while (due[to]?.position === first + (to - from)) to++
      const shown = due
        .slice(from, to)
        .map(({ report, position }) => this.#withEarlier(toStepRecord(report, redactor), position))
      const isNew = first >= this.#storedTo
      store.runSteps[isNew ? 'append' : 'save'](this.#run.id, first, shown)
      this.#storedTo = Math.max(this.#storedTo, first + shown.length)
    }
    const end = clock.monotonic()
    for (const { report } of due) report.dueAt = end + Math.max(SHOW_EVERY_MS, (end - now) * PAUSE_FOR_WORK)
  }

  /** When a resumed run retries a step, its record is replaced but keeps the calls and logs of earlier tries. */
  #withEarlier(step: NewStep, position: number): NewStep {
    if (position >= this.#firstNewPosition) return step
    const { store, run } = this.#options
    if (!this.#before.has(position)) this.#before.set(position, store.runSteps.at(run.id, position))
    const before = this.#before.get(position)
    if (!before || before.ref_id !== step.ref_id) return step
    const { started_at, duration_ms, error, http, earlier_attempts: earlier = [] } = before
    const now = earlier.length === 0 ? step : { ...step, earlier_attempts: earlier }
    // The step was waiting for a person or for its time, which counts as part of the same attempt.
    if (before.status === 'running' && error === null && http.length === 0) return sinceStart(now, started_at)
    if (before.status === 'success' || (error === null && http.length === 0)) return now
    const attempts = [...earlier, { started_at, duration_ms, error, http }]
    return { ...step, earlier_attempts: attempts.slice(-MOST_EARLIER_ATTEMPTS) }
  }

  /** A successful run only needs its start and results; a failed one can be resumed. */
  #keepAtEnd(ended: RunEnd, added: Batch['entries']): void {
    const { store, start } = this.#options
    if (ended.status === 'success' && this.#parts > 1) {
      store.runStates.truncate(this.#run.id, 1)
      this.#parts = 1
    } else if (ended.status !== 'success' && added.length > 0) {
      this.#addPart(writeResumeEntries(added, this.#spentMs))
    }
    const results = keptResults(ended)
    if (results === undefined && this.#lastAnswer === null) return
    const output = start.awaitedByFlow && ended.status === 'success' ? ended.output : undefined
    if (output === undefined || estimateBytes(output, MOST_RESULT_BYTES) <= MOST_RESULT_BYTES)
      this.#addPart(writeResults({ input: start.input, results, output, answer: this.#lastAnswer }))
  }

  #closedRequest(end: RunEnd | null): NewWebhookRequest | null {
    const { request, clock } = this.#options
    const status = this.#answerStatus ?? (end ? (end.status === 'success' ? 200 : 500) : null)
    if (!request || !this.#isRequestOpen || status === null) return null
    this.#isRequestOpen = false
    return { ...request.record, status, duration_ms: clock.monotonic() - request.receivedAt }
  }

  #runNow({ changed: reports, end }: Batch): FlowRun {
    const { clock, redactor } = this.#options
    if (!end) {
      const isRetrying = [...reports].some(({ status }) => status === 'retrying')
      const duration_ms = this.#options.run.duration_ms === null ? null : this.#durationMs(clock.now())
      return { ...this.#run, status: isRetrying ? 'retrying' : 'running', duration_ms }
    }
    const finishedAt = clock.now()
    return {
      ...this.#run,
      status: end.status,
      title: end.title === null ? this.#run.title : redactor.redactText(end.title),
      error: end.error && redactError(end.error, redactor),
      warnings: end.warnings.map((warning) => redactSpoken(warning, redactor)),
      finished_at: isoOf(finishedAt),
      duration_ms: this.#durationMs(finishedAt),
    }
  }

  /**
   * A run that waited or was interrupted is measured by the wall clock; for one that had ended, the time since doesn't
   * count.
   */
  #durationMs(finishedAt: number): number {
    const { resumeData, clock, run } = this.#options
    const active = clock.monotonic() - this.#startedAt
    if (resumeData === null || run.started_at === null) return active
    if (run.duration_ms !== null) return run.duration_ms + active
    return Math.max(0, finishedAt - Date.parse(run.started_at))
  }
}

interface Batch {
  readonly changed: Set<StepReport>
  entries: (ResumeEntry | UnwindingEntry)[]
  /** Counts since the last commit, for the figures. */
  readonly counts: Counts
  readonly answer: WebhookResponse | null
  /** Set if the run had ended by then, so that its end is stored once, in the same commit. */
  readonly end: RunEnd | null
  /** The state before the write, in case it doesn't reach the disk. */
  before: Before | null
}

interface Before {
  readonly run: FlowRun
  readonly isStored: boolean
  readonly parts: number
  readonly storedTo: number
  readonly isRequestOpen: boolean
}

/** Measured by the wall clock, as the whole run is. */
function sinceStart(step: NewStep, startedAt: string): NewStep {
  const waitedMs = Math.max(0, Date.parse(step.started_at) - Date.parse(startedAt))
  return {
    ...step,
    started_at: startedAt,
    duration_ms: step.duration_ms === null ? null : step.duration_ms + waitedMs,
  }
}

/** Converts the reports one by one, so that 10,000 records aren't all in memory twice. */
function* stepRecords(reports: Iterable<StepReport>, redactor: Redactor): Generator<NewStep> {
  for (const report of reports) yield toStepRecord(report, redactor)
}

/** The results to keep besides the history, unless they are too large to be kept twice. */
function keptResults({ results }: RunEnd): Data | undefined {
  const { value } = detachLists(results)
  return estimateBytes(value, MOST_RESULT_BYTES) > MOST_RESULT_BYTES ? undefined : results
}

type Counts = ReadonlyMap<string, CountedFigure>

function addCount(counts: Counts, of: CountedFigure['of'], status: string, count: number): Counts {
  const key = `${of} ${status}`
  return new Map([...counts, [key, { of, status, count: (counts.get(key)?.count ?? 0) + count }]])
}

/** The numbers of records that a step with this result wrote to files and tables, and set aside. */
function writtenBy(type: StepReport['step']['type'], output: Data): Readonly<Record<string, number>> {
  if (!isDictionary(output)) return {}
  const numberOf = (key: string) => Number(getKey(output, key) ?? 0)
  const lengthOf = (key: string) => {
    const rows = getKey(output, key)
    return isList(rows) ? rows.length : 0
  }
  if (type === 'write_records') return { written: numberOf('records'), rejected: numberOf('rejected') }
  return type === 'data_table' ? { written: lengthOf('inserted') + lengthOf('updated') } : {}
}

const NO_COUNTS: Counts = new Map()
/** Estimated size of a short run without its input. */
const BYTES_OF_RUN = 4_096
const MOST_EARLIER_ATTEMPTS = 20
const MOST_RESULT_BYTES = 50_000_000
/** After a crash, a list may read again what it read in this time. */
const SOON_MS = 250
/** Longest time that a running step's row can lag behind. */
const SHOW_EVERY_MS = 1_000
/** Storing running steps takes at most a twentieth of the time. */
const PAUSE_FOR_WORK = 20
const EVENTS_PER_LOOK = 256
/**
 * There are two events per step. A commit blocks the event loop, and one of 10,000 steps would do so for a third of a
 * second.
 */
const MOST_SHOWN_AT_ONCE = 1_000
