import { say, type Said, quoted, sentenceOf, spoken } from '../../../../shared/contract/base/message.ts'
import type { RunWarning } from '../../../../shared/contract/flow-runs.ts'
import { type Data, dictionaryOf, entriesOf, isDictionary, storedMarkOf } from '@millrace/jinja/data'
import type { Exchange } from '../../ports.ts'
import { toExchangeRecord } from '../../request/exchange-record.ts'
import {
  evaluateCondition,
  evaluateTemplate,
  OVER_DATA,
  renderTemplate,
  TemplateError,
} from '@millrace/jinja'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import type { Attempt, CompiledStep, ListEnd, StepScope } from '../model/compiled-step.ts'
import type { PageFeed } from '../model/page-feed.ts'
import type { FlowPorts, MergeCounts } from '../model/ports.ts'
import { stepKey } from '../model/run-events.ts'
import { RunHalt } from '../model/run-halt.ts'
import { StepError, type StepErrorPlace } from '../model/step-error.ts'
import type { StepReport } from '../model/step-report.ts'
import { toStepError } from '../model/to-step-error.ts'
import {
  addCallbacks,
  branchOff,
  FINALLY_MS,
  MOST_COUNTED_WAIT_MS,
  nameOfCurrentItem,
  type RunState,
  StopSignal,
  withoutEnding,
  YIELD_EVERY_MS,
  yieldNow,
} from './run-state.ts'

type RunList = (run: RunState, list: readonly CompiledStep[]) => ListEnd | Promise<ListEnd>

/** The most warnings that a run takes over from its steps. */
const MOST_WARNINGS = 50

/**
 * The scope of a step's runner, a thin view of the run's state. There is only one object per step and iteration, to
 * keep steps cheap.
 */
export class RunningStep implements StepScope {
  readonly step: CompiledStep
  readonly report: StepReport
  /** The end of the child list, for the list that contains the step. */
  childrenEnd: ListEnd = 'done'
  published = false
  readonly #run: RunState
  readonly #runList: RunList
  readonly #before: readonly Data[]
  /** Strings of an edited config, which aren't templates. */
  readonly #literals: ReadonlySet<string> | null
  /** The highest iteration whose results can be read after the loop. */
  #lastTurn = -1
  /** `#before` and the progress saved since. */
  #savedProgress: Data[] | null = null

  constructor(
    run: RunState,
    step: CompiledStep,
    report: StepReport,
    savedProgress: readonly Data[],
    runList: RunList,
    literals: ReadonlySet<string> | null = null,
  ) {
    this.#run = run
    this.step = step
    this.report = report
    this.#before = savedProgress
    this.#runList = runList
    this.#literals = literals
  }

  get ports(): FlowPorts {
    return this.#run.ports
  }

  get runId(): string {
    return this.#run.id
  }

  get key(): string {
    return stepKey(this.step.path, this.report.iteration)
  }

  get iteration(): readonly number[] {
    return this.report.iteration
  }

  get input(): Data {
    return this.#run.input
  }

  get env(): Readonly<Record<string, Data>> {
    return this.#run.env
  }

  get context(): Readonly<Record<string, Data>> {
    return this.#run.context
  }

  get results(): Data {
    const { context, flow } = this.#run
    const names = [...flow.refs, ...(flow.triggers.length > 1 ? ['trigger'] : []), 'item', 'index']
    return dictionaryOf(
      names.flatMap((name): [string, Data][] => {
        const value = context[name]
        return value === undefined ? [] : [[name, value]]
      }),
    )
  }

  get signal(): AbortSignal {
    return this.#run.stop.signal
  }

  get retriesAllowed(): boolean {
    return this.#run.flow.retriesAllowed
  }

  get resumable(): boolean {
    return this.#run.resumable
  }

  get pages(): PageFeed | null {
    return this.#run.feeds.get(this.step) ?? null
  }

  get savedProgress(): readonly Data[] {
    return this.#savedProgress ?? this.#before
  }

  evaluate(field: string, value: unknown): Data {
    if (typeof value === 'string') {
      if (!hasMarkup(value) || this.#literals?.has(value) === true) return value
      try {
        return evaluateTemplate(value, this.#run.context, OVER_DATA)
      } catch (error) {
        throw toStepError(withSizes(error, this.#run.context), this.step, field)
      }
    }
    if (Array.isArray(value)) return value.map((item, index) => this.evaluate(`${field}[${index}]`, item))
    const data = value as Data
    if (!isDictionary(data)) return data
    return dictionaryOf(entriesOf(data).map(([key, item]) => [key, this.evaluate(`${field}.${key}`, item)]))
  }

  renderText(field: string, template: string): string {
    if (!hasMarkup(template) || this.#literals?.has(template) === true) return template
    return this.at(field, () => renderTemplate(template, this.#run.context))
  }

  isTrue(field: string, template: string): boolean {
    return this.at(field, () => evaluateCondition(template, this.#run.context))
  }

  at<T>(field: string, work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw toStepError(withSizes(error, this.#run.context), this.step, field)
    }
  }

  withItem<T>(item: Data, index: number, work: () => T): T {
    return this.withNames({ item, index }, work)
  }

  withNames<T>(names: Readonly<Record<string, Data>>, work: () => T): T {
    const { context } = this.#run
    const outer = Object.keys(names).map((name) => [name, context[name]] as const)
    Object.assign(context, names)
    try {
      return work()
    } finally {
      for (const [name, value] of outer) restore(this.#run, name, value)
    }
  }

  showInput(input: Data): void {
    this.report.input = input
  }

  showExchange(exchange: Exchange, page: number | null): void {
    const isWhole = this.#run.recording?.takesCall(exchange) ?? false
    this.report.addExchange(toExchangeRecord(exchange, page, isWhole))
    this.#run.recorder.record({ type: 'step_updated', report: this.report })
  }

  showWaiting(): void {
    this.#run.recorder.record({ type: 'step_waits', report: this.report })
  }

  showRecords(count: number): void {
    const page = this.report.exchanges.at(-1)
    if (page !== undefined) page.records = count
    this.report.recordsRead += count
  }

  showMerged(counts: MergeCounts): void {
    this.report.merged = counts
  }

  showRetry(reason: Said): void {
    this.report.status = 'retrying'
    this.warn('retried', reason)
    this.#run.recorder.record({ type: 'step_updated', report: this.report })
  }

  get listInDoubt(): Said | null {
    const doubt = this.#run.warnings.find(({ in_doubt }) => in_doubt === true)
    return doubt === undefined ? null : sentenceOf(doubt)
  }

  warn(code: string, sentence: Said, inDoubt = false): void {
    const said = this.step.isPart
      ? say('{{problem}} ({{item}})', { problem: sentence, item: nameOfCurrentItem(this.#run) })
      : sentence
    const warning: RunWarning = { code, ...spoken(said), ...(inDoubt ? { in_doubt: true } : {}) }
    if (code === 'retried') return this.report.warn(warning)
    // A resumed run may already have the warning.
    if (this.report.warnings.some((known) => known.message === warning.message)) return
    this.restoreWarnings([warning])
    this.#run.recorder.record({ type: 'step_warned', report: this.report, warning })
  }

  /** Adds the warnings from before the run was resumed. */
  restoreWarnings(warnings: readonly RunWarning[]): void {
    for (const warning of warnings) {
      this.report.warn(warning)
      this.#warnRun(warning)
    }
  }

  /** A step's warning is also one of its run, but only once, however many iterations a loop has. */
  #warnRun(warning: RunWarning): void {
    const { warnings } = this.#run
    const { ref } = this.step
    const named = warning.message.startsWith('Step "')
      ? warning
      : { ...warning, ...spoken(say('Step "{{ref}}": {{rest}}', { ref, rest: sentenceOf(warning) })) }
    // One such warning is enough to put the run in doubt, and a list can have thousands of items.
    const isNeeded = warning.in_doubt === true && !(this.step.isPart && this.listInDoubt !== null)
    const isKept = warnings.length < MOST_WARNINGS || isNeeded
    if (isKept && !warnings.some((known) => known.message === named.message)) warnings.push(named)
  }

  showLog(lines: readonly { readonly level: string; readonly text: string }[]): void {
    this.report.log = lines.length === 0 ? null : lines
  }

  saveProgress(part: Data, shorten?: (earlier: Data) => Data): void {
    const earlier = this.#savedProgress ?? this.#before
    if (shorten !== undefined) this.#savedProgress = earlier.map(shorten)
    else this.#savedProgress ??= [...earlier]
    this.#savedProgress.push(part)
    this.#run.recorder.record({ type: 'step_progress', report: this.report, part, shorten })
  }

  commit(): Promise<void> {
    return this.#run.recorder.commit()
  }

  commitSoon(): void {
    this.#run.recorder.commitSoon()
  }

  decideOnce(decide: () => Data): Data {
    const [saved] = this.savedProgress
    if (saved !== undefined) return saved
    const decided = decide()
    this.saveProgress(decided)
    return decided
  }

  publish(output: Data): void {
    this.published = true
    this.#run.context[this.step.ref] = output
    this.#run.lastOutput = output
  }

  async waitUntil(moment: number, parkAboveMs = PARK_ABOVE_MS): Promise<void> {
    const { resumable, ports, stop } = this.#run
    const remaining = moment - ports.clock.now()
    if (remaining <= 0) return
    const counted = remaining > MOST_COUNTED_WAIT_MS ? 0 : remaining
    // If the time limit would cut the wait short, the run isn't parked, so that it ends at the limit and not later.
    if (resumable && remaining > parkAboveMs && counted < stop.remainingMs) {
      const until = say('Waits until {{moment}}', { moment: new Date(moment).toISOString() })
      throw new RunHalt('parked', until, moment, null, counted)
    }
    await this.sleep(remaining, this.signal)
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { ports, stop } = this.#run
    if (ms <= MOST_COUNTED_WAIT_MS) return ports.sleep(ms, signal)
    return stop.pauseDuring(() => ports.sleep(ms, signal))
  }

  waitUncounted<T>(work: () => Promise<T>): Promise<T> {
    return this.#run.stop.pauseDuring(work)
  }

  async runChildren(list: readonly CompiledStep[]): Promise<void> {
    this.childrenEnd = await this.#runList(this.#run, list)
  }

  async attempt(list: readonly CompiledStep[]): Promise<Attempt> {
    const run = this.#run
    run.lastOutput = null
    try {
      await this.runChildren(list)
      return { kind: 'done', result: run.lastOutput }
    } catch (error) {
      if (run.recorder.failure !== null) throw run.recorder.failure
      if (error instanceof StepError) return { kind: 'failed', failure: error }
      if (error instanceof RunHalt && !error.continuesLater) return { kind: 'halted', halt: error }
      throw error
    }
  }

  async runFinally(list: readonly CompiledStep[], halt: RunHalt | null): Promise<void> {
    if (list.length === 0) return
    const outer = this.#run
    const { stop, unwinding, ports, recorder } = outer
    const reason = halt ?? unwinding ?? stop.halt
    if (reason?.continuesLater === true) throw reason
    if (reason !== null && outer.resumable) {
      recorder.record({ type: 'unwinding', error: reason.toRunError(null) })
      await recorder.commit()
    }
    const timeoutMs = Math.max(FINALLY_MS, unwinding === null ? stop.remainingMs : 0)
    const own = new StopSignal(ports, timeoutMs, outer.finallySignal, 0, stop)
    const run = {
      ...outer,
      stop: own,
      unwinding: null,
      shared: withoutEnding(outer.shared),
      ...(reason !== null && { breakpoints: null }),
    }
    try {
      const end = await this.#runList(run, list)
      if (end !== 'done') this.childrenEnd = end
      outer.shared.ending = run.shared.ending ?? outer.shared.ending
    } catch (error) {
      // The run still ends for its original reason; the step is shown as failed.
      if (reason === null || !(error instanceof StepError)) throw error
    } finally {
      own.release()
    }
  }

  runTurn(
    list: readonly CompiledStep[],
    item: Data,
    index: number,
    onDone: (result: Data) => void,
  ): ListEnd | Promise<ListEnd> {
    const run = this.#run
    const { iteration } = this.report
    const { item: outerItem, index: outerIndex, callbacks } = run.context
    const outer = { item: outerItem, index: outerIndex, callbacks, recordsTurns: run.recordsTurns }
    for (const ref of this.step.refsBelow) restore(run, ref, run.env[ref])
    run.context['item'] = item
    run.context['index'] = index
    run.lastOutput = null
    run.iteration = iteration.concat(index) // no array literal: `StepReport` explains why
    run.recordsTurns = run.recordsTurns && this.step.recordsTurns
    addCallbacks(run, this.step.callbacks, run.iteration)
    let isWaiting = false
    try {
      const end = this.#runList(run, list)
      if (end instanceof Promise) {
        isWaiting = true
        return this.#endTurn(end, outer, onDone)
      }
      if (end === 'done') onDone(run.lastOutput)
      return end
    } finally {
      if (!isWaiting) this.#leaveTurn(outer)
    }
  }

  async runTurnAside(
    list: readonly CompiledStep[],
    item: Data,
    index: number,
    onDone: (scope: StepScope, result: Data) => void,
  ): Promise<ListEnd> {
    const run = branchOff(this.#run)
    const scope = new RunningStep(run, this.step, this.report, NO_PROGRESS, this.#runList)
    try {
      return await scope.runTurn(list, item, index, (result) => onDone(scope, result))
    } finally {
      if (index > this.#lastTurn) {
        this.#lastTurn = index
        for (const ref of this.step.refsBelow) restore(this.#run, ref, run.context[ref])
      }
    }
  }

  async runBranch(list: readonly CompiledStep[]): Promise<Data> {
    const run = branchOff(this.#run)
    try {
      const end = await this.#runList(run, list)
      if (ENDS.indexOf(end) > ENDS.indexOf(this.childrenEnd)) this.childrenEnd = end
      return run.lastOutput
    } finally {
      const refs = list.flatMap(({ ref, refsBelow }) => [ref, ...refsBelow])
      for (const ref of refs) restore(this.#run, ref, run.context[ref])
    }
  }

  async #endTurn(waiting: Promise<ListEnd>, outer: Turn, onDone: (result: Data) => void): Promise<ListEnd> {
    try {
      const end = await waiting
      if (end === 'done') onDone(this.#run.lastOutput)
      return end
    } finally {
      this.#leaveTurn(outer)
    }
  }

  #leaveTurn({ item, index, callbacks, recordsTurns }: Turn): void {
    const run = this.#run
    run.iteration = this.report.iteration
    run.recordsTurns = recordsTurns
    restore(run, 'item', item)
    restore(run, 'index', index)
    if (this.step.callbacks.length > 0) restore(run, 'callbacks', callbacks)
  }

  async yieldIfDue(): Promise<void> {
    const run = this.#run
    const now = run.ports.clock.monotonic()
    run.stop.check(now)
    if (now - run.shared.yieldedAt > YIELD_EVERY_MS) await yieldNow(run)
  }

  answer(answer: WebhookResponse): boolean {
    const run = this.#run
    if (!run.awaited || run.shared.answer) return false
    run.shared.answer = answer
    run.recorder.record({ type: 'answered', answer })
    return true
  }

  endRun(status: 'success' | 'error', message: string): void {
    const error = status === 'error' ? this.fail('stopped', quoted(message)) : null
    this.#run.shared.ending = { status, error, message }
  }

  fail(code: string, rest: Said, place?: StepErrorPlace): StepError {
    const { ref } = this.step
    return new StepError(code, ref, say('Step "{{ref}}": {{rest}}', { ref, rest }), place)
  }
}

/** A string without braces can't be a template. */
function hasMarkup(text: string): boolean {
  return text.includes('{')
}

function restore(run: RunState, name: string, value: Data | undefined): void {
  if (value === undefined) delete run.context[name]
  else run.context[name] = value
}

/** The values that an iteration replaces and restores at its end. */
interface Turn {
  readonly item: Data | undefined
  readonly index: Data | undefined
  readonly callbacks: Data | undefined
  readonly recordsTurns: boolean
}

/** If branches end differently, the end that is last in this list counts. */
const ENDS: readonly ListEnd[] = ['done', 'skip_iteration', 'break_loop', 'ended']
const NO_PROGRESS: readonly Data[] = []
const PARK_ABOVE_MS = 60_000

/** Adds the sizes of lists that are too long for one template to the error of a template that reached a limit. */
function withSizes(error: unknown, context: Readonly<Record<string, Data>>): unknown {
  if (!(error instanceof TemplateError) || error.kind !== 'limit') return error
  const sizes = Object.entries(context).flatMap(([name, value]) => {
    const mark = storedMarkOf(value)
    return mark === null
      ? []
      : [say('"{{name}}" has {{count}} records', { name, count: mark.count.toLocaleString('en-US') })]
  })
  if (sizes.length === 0) return error
  const lists = sizes.slice(0, 3).reduce((first, second) => say('{{first}}, {{second}}', { first, second }))
  const hint = say('{{lists}}; go through them with a loop step, which reads one at a time', { lists })
  return new TemplateError(error.kind, error.said, error, hint)
}
