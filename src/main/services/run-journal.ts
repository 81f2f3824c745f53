import type { FlowRun, RunWarning } from '../../shared/contract/flow-runs.ts'
import { isoOf } from '../../shared/iso-time.ts'
import { estimateBytes } from '../engine/data/deep.ts'
import type { Redactor } from '../engine/data/redact.ts'
import { detachLists } from '../engine/data/stored-list.ts'
import type { Data } from '../engine/data/value.ts'
import {
  type FlowEvent,
  type Journal,
  type RunEnd,
  stepKey,
  type StepReport,
} from '../engine/flow/flow-events.ts'
import type { Clock } from '../engine/ports.ts'
import type { WebhookResponse } from '../engine/webhook/build-response.ts'
import type { Store } from '../store/index.ts'
import type { NewWebhookRequest } from '../store/webhook-requests.ts'
import {
  type EarlierLife,
  type RunStart,
  type StepNote,
  writeNotes,
  writeResults,
  writeStart,
} from './run-memory.ts'
import { shownError, shownStep } from './shown-step.ts'

export interface RunJournal extends Journal {
  /** The run as it is now. */
  readonly run: FlowRun
  /** What the caller was told other than by the flow: that it took too long. Stored with the next commit. */
  noteAnswer(status: number): void
}

export interface RunJournalOptions {
  readonly store: Pick<
    Store,
    'flowRuns' | 'runSteps' | 'runStates' | 'webhookRequests' | 'secretBox' | 'write'
  >
  readonly clock: Clock
  readonly redactor: Redactor
  readonly run: FlowRun
  readonly start: RunStart
  /** The request that started it and waits for its answer. */
  readonly request: OpenRequest | null
  /** Whether the run stands in the database already: it was accepted before. */
  readonly isStored: boolean
  /** Whether a later life may take it up, even after a crash: then what it needs for that is kept as it happens. */
  readonly resumable: boolean
  /** Whether that is kept at its end, should it fail, so that it can be gone on with. */
  readonly keepsFailure: boolean
  readonly earlier: EarlierLife | null
  /** The flow's setting; otherwise only steps that failed are shown. */
  readonly logAllSteps: boolean
  /** False where the flow keeps no history: the run's rows are there only while they are needed. */
  readonly keepsHistory: boolean
  /** Called with each answer once it is in the history. */
  readonly onAnswered: (answer: WebhookResponse) => void
  /** Called inside the write that stores the answer; what it stores is stored along. */
  readonly onAnswer?: ((answer: WebhookResponse) => void) | undefined
  /** Called inside the write that stores the end; what it stores is stored along. */
  readonly onEnd?: (run: FlowRun) => void
  /** The run has ended and is about to be stored as ended. */
  readonly onEnding?: (() => void) | undefined
  readonly onCommitted: (run: FlowRun) => void
}

/** A request whose answer is not known yet. */
export interface OpenRequest {
  readonly record: Omit<NewWebhookRequest, 'status' | 'duration_ms'>
  /** Monotonic. */
  readonly receivedAt: number
}

/**
 * Writes a run down: as much at a time as the engine asks for, in the commit that all of this turn of the event loop
 * share. A run that does nothing on the outside is one insert.
 */
export function createRunJournal(options: RunJournalOptions): RunJournal {
  const { store, clock, redactor, start, request, resumable, earlier } = options
  // What is handed to another flow is kept until that has read it; housekeeping takes it away soon after.
  const keepsHistory = options.keepsHistory || start.awaitedByFlow === true
  let run = options.run
  let isStored = options.isStored
  let parts = earlier?.parts ?? (isStored ? 1 : 0)
  let hasSteps = earlier !== null
  let hasToldEnd = false
  const startedAt = clock.monotonic()
  let nextPosition = 0
  for (const position of earlier?.positions.values() ?? [])
    nextPosition = Math.max(nextPosition, position + 1)

  // Weak: what was written is not kept in memory for it.
  const positions = new WeakMap<StepReport, number>()
  const writtenAt = new WeakMap<StepReport, number>()
  /** What the next commit is to write. */
  let changed = new Set<StepReport>()
  let notes: StepNote[] = []
  let answer: WebhookResponse | null = null
  /** Stored at the end, to be shown. */
  let given: WebhookResponse | null = null
  let answerStatus: number | null = null
  let isRequestOpen = request !== null
  let end: RunEnd | null = null
  let events = 0
  let committedAt = clock.monotonic()

  function positionOf(report: StepReport): number {
    const known = positions.get(report) ?? earlier?.positions.get(stepKey(report.step.path, report.iteration))
    const position = known ?? nextPosition++
    positions.set(report, position)
    return position
  }

  function isShown(report: StepReport): boolean {
    if (report.status === 'error') return true
    return options.logAllSteps && (positions.has(report) || nextPosition < MOST_SHOWN_STEPS)
  }

  function show(report: StepReport): void {
    if (!isShown(report)) return
    positionOf(report)
    changed.add(report)
  }

  function note(report: StepReport, more: Pick<StepNote, 'kept' | 'end'>): void {
    if (!report.isKept || (!resumable && !options.keepsFailure)) return
    const key = stepKey(report.step.path, report.iteration)
    notes.push({ key, position: positionOf(report), attempt: report.attempt, ...more })
  }

  function record(event: FlowEvent): void {
    switch (event.type) {
      case 'step_started':
        show(event.report)
        if (event.report.step.outside) note(event.report, {})
        break
      case 'step_updated':
        if (event.report.status === 'retrying') note(event.report, {})
        show(event.report)
        break
      case 'step_kept':
        note(event.report, { kept: event.part })
        break
      case 'step_finished': {
        const { report } = event
        show(report)
        if (report.status !== 'skipped')
          note(report, { end: report.error ? { error: report.error } : { output: report.output } })
        break
      }
      case 'answered':
        answer = event.answer
        given = event.answer
        answerStatus ??= event.answer.status
        break
      case 'run_finished':
        end = event.end
    }
    if (++events % EVENTS_PER_LOOK === 0 && clock.monotonic() - committedAt > SHOW_EVERY_MS) showMeanwhile()
  }

  /** A long run of steps that act on nothing outside is to be seen all the same. */
  function showMeanwhile(): void {
    commit().catch(() => undefined) // what was not written is part of the next commit
  }

  async function commit(): Promise<void> {
    const batch = takeBatch()
    committedAt = clock.monotonic()
    if (end && !hasToldEnd) {
      hasToldEnd = true
      options.onEnding?.()
    }
    try {
      await store.write(() => put(batch))
    } catch (error) {
      giveBack(batch)
      throw error
    }
    if (batch.answer) options.onAnswered(batch.answer)
    options.onCommitted(run)
  }

  function takeBatch(): Batch {
    const batch: Batch = { changed, notes, answer, before: null }
    changed = new Set()
    answer = null
    if (resumable || end) notes = []
    else batch.notes = []
    return batch
  }

  /** Nothing of the batch reached the disk. */
  function giveBack(batch: Batch): void {
    changed = new Set([...batch.changed, ...changed])
    notes = [...batch.notes, ...notes]
    answer ??= batch.answer
    if (batch.before) ({ run, isStored, parts, hasSteps, isRequestOpen } = batch.before)
  }

  /** May be called twice for one commit, the first time undone: it begins where it began then. */
  function put(batch: Batch): void {
    if (batch.before) ({ run, isStored, parts, hasSteps, isRequestOpen } = batch.before)
    else batch.before = { run, isStored, parts, hasSteps, isRequestOpen }
    run = runNow(batch)
    if (keepsHistory || !end) {
      if (isStored) update(batch)
      else insert(batch)
      isStored = true
    } else if (isStored) store.flowRuns.deleteWhole(run.id)
    if (batch.answer) options.onAnswer?.(batch.answer)
    if (end) options.onEnd?.(run)
  }

  function insert(batch: Batch): void {
    const results = end ? keptResults(end) : undefined
    const state = store.secretBox.locked ? [] : [writeStart(start, results, end && given)]
    if (state.length > 0 && batch.notes.length > 0 && end?.status !== 'success')
      state.push(writeNotes(batch.notes))
    const answered = closedRequest()
    store.flowRuns.insert(run, {
      steps: [...batch.changed].map((report) => shownStep(report, redactor)),
      state,
      ...(answered ? { request: answered } : {}),
    })
    parts = state.length
    hasSteps = batch.changed.size > 0
  }

  function update({ changed: reports, notes: added }: Batch): void {
    saveSteps(reports)
    store.flowRuns.save(run)
    const answered = closedRequest()
    if (answered) store.webhookRequests.insert(answered)
    if (store.secretBox.locked || parts === 0) return
    if (end) keepAtEnd(end, added)
    else if (added.length > 0) store.runStates.save(run.id, parts++, writeNotes(added))
  }

  /** Neighbours are stored together. A running step is not written again at each of its calls. */
  function saveSteps(reports: ReadonlySet<StepReport>): void {
    const now = clock.monotonic()
    const due = [...reports]
      .filter(
        (report) => report.status !== 'running' || now - (writtenAt.get(report) ?? -Infinity) > SHOW_EVERY_MS,
      )
      .map((report) => ({ report, position: positionOf(report) }))
      .toSorted((a, b) => a.position - b.position)
    for (let from = 0, to = 0; from < due.length; from = to) {
      const first = due[from]?.position ?? 0
      while (due[to]?.position === first + (to - from)) to++
      const shown = due.slice(from, to).map(({ report }) => shownStep(report, redactor))
      if (hasSteps || first > 0) store.runSteps.save(run.id, first, shown)
      else store.runSteps.insert(run.id, shown)
      hasSteps = true
    }
    for (const { report } of due) writtenAt.set(report, now)
  }

  /** Of a run that ended well its start and its results are enough; one that failed may be gone on with. */
  function keepAtEnd(ended: RunEnd, added: readonly StepNote[]): void {
    if (ended.status === 'success' && parts > 1) {
      store.runStates.truncate(run.id, 1)
      parts = 1
    } else if (ended.status !== 'success' && added.length > 0) {
      store.runStates.save(run.id, parts++, writeNotes(added))
    }
    const results = keptResults(ended)
    if (results === undefined && given === null) return
    const output = start.awaitedByFlow && ended.status === 'success' ? ended.output : undefined
    if (output === undefined || estimateBytes(output, MOST_RESULT_BYTES) <= MOST_RESULT_BYTES)
      store.runStates.save(run.id, parts++, writeResults(results, output, given))
  }

  function closedRequest(): NewWebhookRequest | null {
    const status = answerStatus ?? (end ? (end.status === 'success' ? 200 : 500) : null)
    if (!request || !isRequestOpen || status === null) return null
    isRequestOpen = false
    return { ...request.record, status, duration_ms: clock.monotonic() - request.receivedAt }
  }

  function runNow({ changed: reports }: Batch): FlowRun {
    if (!end) {
      const isRetrying = [...reports].some(({ status }) => status === 'retrying')
      return { ...run, status: isRetrying ? 'retrying' : 'running' }
    }
    const finishedAt = clock.now()
    return {
      ...run,
      status: end.status,
      title: end.title === null ? run.title : redactor.redactText(end.title),
      error: end.error && shownError(end.error, redactor),
      warnings: end.warnings.map(({ code, message }): RunWarning => ({
        code,
        message: redactor.redactText(message),
      })),
      finished_at: isoOf(finishedAt),
      duration_ms: durationMs(finishedAt),
    }
  }

  /** Of a run with earlier lives as the clock on the wall has it. */
  function durationMs(finishedAt: number): number {
    if (earlier === null || run.started_at === null) return clock.monotonic() - startedAt
    return Math.max(0, finishedAt - Date.parse(run.started_at))
  }

  return {
    get run() {
      return run
    },
    record,
    commit,
    noteAnswer(status) {
      answerStatus ??= status
    },
  }
}

interface Batch {
  readonly changed: Set<StepReport>
  notes: StepNote[]
  readonly answer: WebhookResponse | null
  /** What was true before it was written, should it not reach the disk after all. */
  before: {
    readonly run: FlowRun
    readonly isStored: boolean
    readonly parts: number
    readonly hasSteps: boolean
    readonly isRequestOpen: boolean
  } | null
}

/** Results that are too large to be kept a second time are there in the history alone. */
function keptResults({ results }: RunEnd): Data | undefined {
  const { value } = detachLists(results)
  return estimateBytes(value, MOST_RESULT_BYTES) > MOST_RESULT_BYTES ? undefined : results
}

const MOST_RESULT_BYTES = 50_000_000
/** Steps of one run in the history; of those behind them the failed ones alone. */
const MOST_SHOWN_STEPS = 10_000
/** How long a running step's row may be behind. */
const SHOW_EVERY_MS = 1_000
const EVENTS_PER_LOOK = 256
