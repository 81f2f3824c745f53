/** Runs lists of steps, and handles order, retries, `on_error`, known results of a resumed run, and reports. */
import { SAID, say, spoken } from '../../../../shared/contract/base/message.ts'
import type { RunWarning } from '../../../../shared/contract/flow-runs.ts'
import { isStepType } from '../../../../shared/contract/step-types/index.ts'
import type { Data } from '@millrace/jinja/data'
import { missedMembers } from '../definition/rest-members.ts'
import type { Commits, CompiledStep, ListEnd } from '../model/compiled-step.ts'
import { type ResumedStep, stepKey } from '../model/run-events.ts'
import { RunHalt } from '../model/run-halt.ts'
import { StepError } from '../model/step-error.ts'
import { StepReport } from '../model/step-report.ts'
import { toStepError } from '../model/to-step-error.ts'
import { unknownStepSentence } from '../definition/problem.ts'
import { passBreakpoint } from './breakpoints.ts'
import { RecordingError } from './guarded-recorder.ts'
import { nameOfCurrentItem, type RunState, tellOfDefect, YIELD_EVERY_MS, yieldNow } from './run-state.ts'
import { valueOfTrigger } from './trigger-name.ts'
import { runWithPageLoop, streamsPages } from './run-with-pages.ts'
import { RunningStep } from './step-scope.ts'
import { isBegun } from './unwind.ts'

/**
 * Runs one list of steps to its end.
 *
 * @throws StepError of a step whose `on_error` is `stop`
 * @throws RunHalt
 * @throws RecordingError
 */
export function runList(run: RunState, list: readonly CompiledStep[]): ListEnd | Promise<ListEnd> {
  for (const [at, step] of list.entries()) {
    const end = runStep(run, step)
    if (typeof end !== 'string') return runRest(run, list.slice(at + 1), end)
    if (end !== 'done') return end
  }
  return 'done'
}

/**
 * Runs the rest of a list after a step that returned a promise, and awaits each step. While steps only
 * compute, nothing is awaited.
 */
async function runRest(
  run: RunState,
  rest: readonly CompiledStep[],
  waiting: Promise<ListEnd>,
): Promise<ListEnd> {
  let end = await waiting
  for (const step of rest) {
    if (end !== 'done') break
    end = await runStep(run, step)
  }
  return end
}

function runStep(run: RunState, step: CompiledStep): ListEnd | Promise<ListEnd> {
  const { pageLoop } = step
  if (pageLoop !== null && run.breakpoints === null && streamsPages(run, step, pageLoop))
    return runWithPageLoop(run, step, pageLoop, runAlone)
  const ahead = run.ahead.size === 0 ? undefined : run.ahead.get(step)
  if (ahead === undefined) return runAlone(run, step)
  run.ahead.delete(step)
  return ahead
}

function runAlone(run: RunState, step: CompiledStep): ListEnd | Promise<ListEnd> {
  const before = run.ports.clock.monotonic()
  const { unwinding, resumed, iteration } = run
  if (unwinding !== null && (resumed === null || !isBegun(resumed, step, iteration))) throw unwinding
  run.stop.check(before)
  const isOrdinary =
    !step.outside &&
    !step.disabled &&
    run.resumed === null &&
    run.pins === null &&
    run.carriedOver === null &&
    run.breakpoints === null
  if (!isOrdinary || before - run.shared.yieldedAt > YIELD_EVERY_MS) return runStepWaiting(run, step, before)
  const report = newReport(run, step, undefined)
  run.recorder.record({ type: 'step_started', report })
  const scope = new RunningStep(run, step, report, NOTHING, runList)
  const failure = tryStep(run, scope)
  return failure instanceof Promise
    ? failure.then((known) => finishStep(run, scope, before, known))
    : finishStep(run, scope, before, failure)
}

function finishStep(run: RunState, scope: RunningStep, before: number, failure: StepError | null): ListEnd {
  const { step, report } = scope
  report.durationMs = run.ports.clock.monotonic() - before
  if (step.restMembers.length > 0) warnOfMissed(run, scope)
  if (run.recording !== null) report.isWhole = run.recording.takesStep(report)
  run.recorder.record({ type: 'step_finished', report })
  if (failure) return settleFailure(run, step, failure)
  if (scope.published) run.context[step.ref] = report.output
  else keep(run, step, report.output)
  return run.shared.ending ? 'ended' : scope.childrenEnd
}

/** If this can't be decided from the config, the step itself will fail. Until then it counts as having effects. */
function commitsOf(run: RunState, step: CompiledStep): Commits {
  try {
    return step.commits(run.ports)
  } catch {
    return 'around'
  }
}

/**
 * Runs a step in all other cases: a resumed run, a pin, a carried-over result, a breakpoint, or a commit
 * before the step.
 */
async function runStepWaiting(run: RunState, source: CompiledStep, begunAt: number): Promise<ListEnd> {
  const { recorder, breakpoints } = run
  if (begunAt - run.shared.yieldedAt > YIELD_EVERY_MS) await yieldNow(run)

  const resumed = run.resumed?.get(stepKey(source.path, run.iteration))
  const known = resumed?.end
  const savedProgress = resumed?.savedProgress ?? NOTHING
  let report = newReport(run, source, resumed)
  let scope = new RunningStep(run, source, report, savedProgress, runList)
  const passed =
    breakpoints === null || isReplaced(run, source)
      ? null
      : await passBreakpoint(run, breakpoints, scope, resumed)
  const step = passed?.step ?? source
  const before = breakpoints === null ? begunAt : run.ports.clock.monotonic()
  if (breakpoints !== null) {
    report = newReport(run, step, resumed)
    scope = new RunningStep(run, step, report, savedProgress, runList, passed?.literals)
  }
  if (resumed) scope.restoreWarnings(resumed.warnings)
  if (known && !step.hasChildren)
    return 'output' in known ? keep(run, step, known.output) : refuse(run, step, known.error)
  if (step.disabled) {
    if (!resumed) skip(run, report)
    return 'done'
  }
  const pinned = run.pins?.get(step.ref)
  const given = pinned ?? run.carriedOver?.get(step.ref)
  if (given !== undefined) {
    if (!known) useGivenOutput(run, report, given, pinned === undefined ? CARRIED_OVER : PINNED)
    return keep(run, step, given)
  }
  if (passed?.result !== undefined) {
    if (!known) useGivenOutput(run, report, passed.result, SKIPPED)
    return keep(run, step, passed.result)
  }
  // A finished step with children is walked again so that their results are known, but it isn't reported again.
  if (!known) recorder.record({ type: 'step_started', report })
  const commits = step.outside ? commitsOf(run, step) : null
  if (commits === 'around') await recorder.commit()
  else if (commits === 'soon') recorder.commitSoon()
  const failure = await tryStep(run, scope)
  report.durationMs = run.ports.clock.monotonic() - before
  if (step.restMembers.length > 0) warnOfMissed(run, scope)
  if (run.recording !== null) report.isWhole = run.recording.takesStep(report)
  if (!known) recorder.record({ type: 'step_finished', report })
  // A loop over the pages may write them somewhere, so their commit is awaited.
  if (commits === 'soon' && !run.feeds.has(step)) recorder.commitSoon()
  else if (commits !== null) await recorder.commit()
  if (failure) {
    run.feeds.get(step)?.fail(failure)
    return settleFailure(run, step, failure)
  }
  const output = known && 'output' in known ? known.output : report.output
  if (scope.published) run.context[step.ref] = output
  else keep(run, step, output)
  return run.shared.ending ? 'ended' : scope.childrenEnd
}

/** Whether the step never stops at a breakpoint, because it doesn't run, or is the call for one item of a list. */
function isReplaced({ pins, carriedOver }: RunState, { ref, disabled, isPart }: CompiledStep): boolean {
  return disabled || isPart || pins?.has(ref) === true || carriedOver?.has(ref) === true
}

function warnOfMissed({ context }: RunState, scope: RunningStep): void {
  const { ref, restMembers } = scope.step
  for (const said of missedMembers(ref, restMembers, context)) scope.warn('read_beside_body', said)
}

/** Tries a step as often as configured. Returns null if it succeeded. */
function tryStep(run: RunState, scope: RunningStep): StepError | null | Promise<StepError | null> {
  const { step, report } = scope
  try {
    const output = run.doStep(scope)
    if (output instanceof Promise) return keepTrying(run, scope, output)
    report.output = output
    report.status = 'success'
    return null
  } catch (error) {
    const failure = failedTry(run, scope, error)
    return mayRetry(step, report.attempt, failure)
      ? keepTrying(run, scope, Promise.reject(error))
      : settleTry(scope, failure)
  }
}

async function keepTrying(
  run: RunState,
  scope: RunningStep,
  first: Promise<Data>,
): Promise<StepError | null> {
  const { step, report } = scope
  for (let output: Data | Promise<Data> | null = first; ; output = null) {
    try {
      report.output = await (output ?? run.doStep(scope))
      report.status = 'success'
      return null
    } catch (error) {
      const failure = failedTry(run, scope, error)
      if (!mayRetry(step, report.attempt, failure)) return settleTry(scope, failure)
      await waitForRetry(run, scope, failure)
    }
  }
}

/** @throws RunHalt or RecordingError if the run has to stop */
function failedTry(run: RunState, { step, report }: RunningStep, error: unknown): StepError {
  const halt = haltOf(run, error)
  if (halt) throw haltReport(run, report, halt)
  const own = error instanceof StepError ? error : toStepError(error, step)
  const failure = step.isPart ? own.inItem(nameOfCurrentItem(run)) : own
  // A defect in a child step, or in the part for an item, has already been reported there.
  const isOfPart = step.children.steps[0]?.isPart === true && error === own
  if (failure.refId === step.ref && !isOfPart) tellOfDefect(run, failure)
  return failure
}

function settleTry({ report }: RunningStep, failure: StepError): StepError {
  report.status = 'error'
  report.error = failure.toRunError()
  return failure
}

/** While a run has to stop, an error from its step is only a consequence. */
function haltOf(run: RunState, error: unknown): RunHalt | RecordingError | null {
  const isHalt = error instanceof RunHalt || error instanceof RecordingError
  return run.recorder.failure ?? (isHalt ? error : run.stop.halt)
}

/** A step with children isn't retried if one of them failed, because children have their own retries. */
function mayRetry({ ref, retry }: CompiledStep, attempt: number, failure: StepError): boolean {
  return retry !== null && attempt < retry.attempts && failure.refId === ref && !failure.final
}

async function waitForRetry(run: RunState, scope: RunningStep, failure: StepError): Promise<void> {
  const { step, report } = scope
  report.attempt++
  scope.showRetry(failure[SAID])
  try {
    await scope.waitUntil(run.ports.clock.now() + (step.retry?.wait_seconds ?? 0) * 1000)
  } catch (error) {
    throw haltReport(run, report, haltOf(run, error) ?? error)
  }
  report.status = 'running'
}

/** The step in progress is shown as ended unless the run continues with it later. */
function haltReport<T>(run: RunState, report: StepReport, halt: T): T {
  if (!(halt instanceof RunHalt) || halt.continuesLater) return halt
  report.status = 'error'
  report.error = halt.toRunError(report.step.ref)
  report.durationMs = run.ports.clock.now() - report.startedAt
  run.recorder.record({ type: 'step_finished', report })
  return halt
}

function keep(run: RunState, step: CompiledStep, output: Data): ListEnd {
  run.context[step.ref] = output
  if (step.ref === run.startedBy?.ref) nameTrigger(run, step, output)
  run.lastOutput = output
  return 'done'
}

/** Defines `{{ trigger }}` as the trigger that started the run. A step or variable with that name takes precedence. */
function nameTrigger({ flow, env, context }: RunState, { ref, type }: CompiledStep, output: Data): void {
  if (flow.refs.includes('trigger') || env['trigger'] !== undefined) return
  context['trigger'] = valueOfTrigger(ref, type, output)
}

function refuse(
  run: RunState,
  step: CompiledStep,
  error: Parameters<typeof StepError.fromRunError>[0],
): ListEnd {
  return settleFailure(run, step, StepError.fromRunError(error))
}

/** The step's `on_error` decides how the list continues; the failure is readable as `{{ ref_id.error }}`. */
function settleFailure(run: RunState, step: CompiledStep, failure: StepError): ListEnd {
  const { code, message } = failure
  const leavesLoop = step.onError === 'skip_iteration' || step.onError === 'break_loop'
  if (step.onError === 'stop' || (leavesLoop && run.iteration.length === 0)) throw failure
  keep(run, step, failureOutput(code, message))
  return step.onError === 'continue' ? 'done' : step.onError
}

function failureOutput(code: string, message: string): Data {
  return Object.setPrototypeOf({ error: Object.setPrototypeOf({ code, message }, null) }, null) as Data
}

function newReport(run: RunState, step: CompiledStep, resumed: ResumedStep | undefined): StepReport {
  return new StepReport(step, run, run.ports.clock.now(), resumed?.attempt ?? 1)
}

function skip(run: RunState, report: StepReport): void {
  report.status = 'skipped'
  report.durationMs = 0
  const { type } = report.step
  if (!isStepType(type))
    report.warn({
      code: 'unknown_step_type',
      ...spoken(say('The step {{rest}}', { rest: unknownStepSentence({ type, config: {} }) })),
    })
  run.recorder.record({ type: 'step_finished', report })
}

/** Uses an existing result. Neither the step nor its children run, and the history shows that. */
function useGivenOutput(run: RunState, report: StepReport, value: Data, warning: RunWarning): void {
  report.output = value
  report.status = 'success'
  report.durationMs = 0
  report.warn(warning)
  run.recorder.record({ type: 'step_started', report })
  run.recorder.record({ type: 'step_finished', report })
}

const PINNED: RunWarning = {
  code: 'pinned',
  ...spoken(say("The step didn't run; its pinned value was used")),
}
const CARRIED_OVER: RunWarning = {
  code: 'taken_over',
  ...spoken(say("The step didn't run; its result from the earlier run was used")),
}
const SKIPPED: RunWarning = {
  code: 'skipped',
  ...spoken(say("The step didn't run; the result that was entered at the breakpoint was used")),
}
const NOTHING: readonly Data[] = []
