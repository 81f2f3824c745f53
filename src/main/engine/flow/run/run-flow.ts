import { say, sentenceOf, spoken } from '../../../../shared/contract/base/message.ts'
import { MOST_RECORDED_BYTES, type RunError, type RunWarning } from '../../../../shared/contract/flow-runs.ts'
import { type Data, JsonError, parseJson } from '@millrace/jinja/data'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import { type CompiledFlow, startingTrigger } from '../definition/compile-flow.ts'
import type { CompiledStep } from '../model/compiled-step.ts'
import type { ResumeState, RunEnd, RunRecorder } from '../model/run-events.ts'
import type { FlowPorts } from '../model/ports.ts'
import type { RunBreakpoints } from '../model/run-breakpoints.ts'
import { missedMembers } from '../definition/rest-members.ts'
import { CallRecording } from './call-recording.ts'
import { type Awaited, RunHalt } from '../model/run-halt.ts'
import { addCallbacks, type DoStep, type RunState, StopSignal, tellOfDefect } from './run-state.ts'
import { runList } from './run-steps.ts'
import { StepError } from '../model/step-error.ts'
import { renderTemplate } from '@millrace/jinja'
import { GuardedRecorder, RecordingError } from './guarded-recorder.ts'
import { titleOfRun } from './title-of-run.ts'
import { renderAnswer } from '../steps/support/webhook-answer.ts'

export interface RunOptions {
  readonly id: string
  /** The object that the first step returns. */
  readonly input: Data
  /** Reference name of the trigger that started it, if the flow has several. */
  readonly trigger?: string | undefined
  /** Further details of its start: `{{ webhook.headers }}`, `{{ webhook.raw_body }}`. */
  readonly webhook?: Data
  /** Millrace's variables by name; step results and loop names take precedence. */
  readonly env: Readonly<Record<string, Data>>
  /** Results that exist before the first step runs. */
  readonly results?: Readonly<Record<string, Data>>
  /** Values by `ref_id` that replace the results of those steps. */
  readonly pins?: ReadonlyMap<string, Data>
  /** Results by `ref_id`, from an earlier run, of steps that don't run again. */
  readonly carriedOver?: ReadonlyMap<string, Data>
  /** Why lists among these results may be incomplete. */
  readonly doubts?: readonly RunWarning[]
  readonly ports: FlowPorts
  readonly recorder: RunRecorder
  /** Whether a caller waits for the webhook's response. */
  readonly awaited?: boolean
  /** Whether another flow waits for the result. */
  readonly keepsOutput?: boolean
  /** Aborted with a `RunHalt`; with any other reason the run counts as cancelled. */
  readonly signal?: AbortSignal | undefined
  /** Aborted with a `RunHalt` if steps in `finally`, which `signal` doesn't stop, have to stop as well. */
  readonly finallySignal?: AbortSignal | undefined
  /** Why the run had to stop before it was resumed. Only its steps in `finally` run. */
  readonly unwinding?: RunHalt | null
  /** The recorded state of a run that is resumed; null for a new run. */
  readonly resumeFrom?: ResumeState | null
  /** The time that counted towards the flow's limit before the run was resumed. */
  readonly spentMs?: number
  /** Whether the run can be resumed later with `resumeFrom`, so that long waits end this call as `parked`. */
  readonly resumable?: boolean
  /** Null if the run has no breakpoints. */
  readonly breakpoints?: RunBreakpoints | null
  /** Does the work of each step. Defaults to the step's runner. */
  readonly instead?: DoStep
  /** Whether whole calls are kept, so that a test can be made from the run. */
  readonly records?: boolean
}

export type RunOutcome =
  | {
      readonly kind: 'ended'
      readonly end: RunEnd
      readonly answer: WebhookResponse | null
      /** The result of the step that finished last. */
      readonly lastOutput: Data
    }
  /** The run isn't over. It continues later from its recorded state. */
  | {
      readonly kind: 'halted'
      readonly reason: 'parked' | 'put_back'
      readonly resumeAt: number | null
      /** The events that resume this run earlier. */
      readonly waitsFor: readonly Awaited[]
    }

/**
 * Runs a flow to its end and reports all events to the recorder, which is committed before this resolves.
 *
 * @throws what `recorder.commit` rejects with; nothing else
 */
export async function runFlow(flow: CompiledFlow, options: RunOptions): Promise<RunOutcome> {
  const run = startRun(flow, options)
  try {
    const ended = runToEnd(run)
    const end = ended instanceof Promise ? await ended : ended
    run.recorder.record({ type: 'run_finished', end })
    await run.recorder.commit()
    return { kind: 'ended', end, answer: run.shared.answer, lastOutput: run.lastOutput }
  } catch (error) {
    const { failure } = run.recorder
    if (failure) throw failure.cause
    if (error instanceof RecordingError) throw error.cause
    if (!(error instanceof RunHalt) || (error.reason !== 'parked' && error.reason !== 'put_back')) throw error
    const { reason, resumeAt, waitsFor, countedMs } = error
    run.recorder.record({ type: 'time_spent', ms: run.stop.spentMs + countedMs })
    await options.recorder.commit()
    return { kind: 'halted', reason, resumeAt, waitsFor }
  } finally {
    run.stop.release()
  }
}

function startRun(flow: CompiledFlow, options: RunOptions): RunState {
  const { id, input, webhook, env, ports, recorder, awaited = false } = options
  const { resumeFrom = null, resumable = false, unwinding = null } = options
  const timeoutMs = unwinding === null ? flow.timeoutMs : UNLIMITED_MS
  const stop = new StopSignal(ports, timeoutMs, options.signal, options.spentMs)
  const context: Record<string, Data> = Object.setPrototypeOf({ ...env, ...options.results }, null)
  // This includes nested steps, which the run doesn't reach.
  for (const [ref, value] of options.carriedOver ?? []) context[ref] = value
  if (webhook !== undefined) context['webhook'] = webhook
  addCallbacks({ id, ports, context }, flow.callbacks, [])
  return {
    id,
    flow,
    ports,
    recorder: new GuardedRecorder(recorder, resumable ? stop : null),
    resumed: resumeFrom,
    input,
    startedBy: startingTrigger(flow, options.trigger),
    env,
    pins: options.pins ?? null,
    carriedOver: options.carriedOver ?? null,
    context,
    stop,
    finallySignal: options.finallySignal,
    unwinding,
    warnings: [...(options.doubts ?? [])],
    awaited,
    keepsOutput: options.keepsOutput ?? false,
    shared: { answer: null, ending: null, yieldedAt: ports.clock.monotonic() },
    breakpoints: options.breakpoints ?? null,
    stepping: false,
    iteration: [],
    feeds: new Map(),
    ahead: new Map(),
    recordsTurns: true,
    lastOutput: null,
    resumable,
    doStep: options.instead ?? runItself,
    recording: options.records === true ? new CallRecording() : null,
  }
}

const runItself: DoStep = (scope) => scope.step.run(scope)

function runToEnd(run: RunState): RunEnd | Promise<RunEnd> {
  try {
    const steps = runList(run, stepsOf(run))
    return steps instanceof Promise ? runRest(run, steps) : reachEnd(run)
  } catch (error) {
    return failedEnd(run, error)
  }
}

/** If a flow has several triggers, a run has only the one that started it. */
function stepsOf({ flow: { steps, triggers }, startedBy }: RunState): readonly CompiledStep[] {
  if (triggers.length < 2 || startedBy === null) return steps
  return [startedBy, ...steps.slice(triggers.length)]
}

async function runRest(run: RunState, steps: Promise<unknown>): Promise<RunEnd> {
  try {
    await steps
    return reachEnd(run)
  } catch (error) {
    return failedEnd(run, error)
  }
}

function reachEnd(run: RunState): RunEnd {
  const error = run.shared.ending?.error ?? null
  if (error) return endOf(run, 'error', error.toRunError())
  if (run.unwinding !== null) throw run.unwinding
  if (run.awaited && !run.shared.answer) giveConfiguredAnswer(run)
  return endOf(run, 'success', null)
}

function failedEnd(run: RunState, error: unknown): RunEnd {
  if (run.recorder.failure) throw run.recorder.failure
  if (error instanceof StepError) return endOf(run, 'error', error.toRunError())
  if (!(error instanceof RunHalt) || error.continuesLater) throw error
  return endOf(run, error.reason === 'cancelled' ? 'cancelled' : 'error', error.toRunError(null))
}

/** The response is part of the run: if it can't be rendered, the run fails. */
function giveConfiguredAnswer(run: RunState): void {
  const { response } = run.flow
  if (response === null || response.step.ref !== run.startedBy?.ref) return
  const { step, config, fields } = response
  for (const said of missedMembers(step.ref, step.restMembers, run.context))
    run.warnings.push({ code: 'read_beside_body', ...spoken(said) })
  try {
    run.shared.answer = renderAnswer(step, config, fields, run.context)
  } catch (error) {
    if (error instanceof StepError) tellOfDefect(run, error)
    throw error
  }
  const { answer } = run.shared
  run.warnings.push(...answer.warnings)
  run.recorder.record({ type: 'answered', answer })
}

function endOf(run: RunState, status: RunEnd['status'], error: RunError | null): RunEnd {
  if (run.recording?.isFull) run.warnings.push(RECORDING_CUT)
  return {
    status,
    error,
    title: titleOf(run),
    warnings: run.warnings,
    output: outputOf(run),
    results: resultsOf(run),
  }
}

const RECORDING_CUT: RunWarning = {
  code: 'recording_cut',
  ...spoken(
    say('The calls of this run are longer than {{size}} MB, so not all were kept whole for a test', {
      size: MOST_RECORDED_BYTES / 1_000_000,
    }),
  ),
}

/**
 * The flow's response or, without one, its last step's result. A webhook without a configured response returns
 * `null`.
 */
function outputOf({ shared: { answer }, flow, lastOutput, keepsOutput }: RunState): Data {
  if (!keepsOutput) return null
  const body = answer?.body ?? null
  if (body === null || (body === 'null' && flow.response?.config.body === '')) return lastOutput
  try {
    return parseJson(body)
  } catch (error) {
    if (error instanceof JsonError) return body
    throw error
  }
}

/** A title that can't be rendered doesn't make the run fail. */
function titleOf({ flow, input, shared: { answer }, context, warnings }: RunState): string | null {
  if (flow.dynamicTitle === null) return titleOfRun(input, answer)?.slice(0, LONGEST_TITLE) ?? null
  try {
    return renderTemplate(flow.dynamicTitle, context).trim().slice(0, LONGEST_TITLE)
  } catch (error) {
    const rest = sentenceOf(error as Error)
    warnings.push({ code: 'title', ...spoken(say("Can't render the title: {{rest}}", { rest })) })
    return null
  }
}

function resultsOf({ flow, context }: RunState): Record<string, Data> {
  const results: Record<string, Data> = {}
  for (const ref of flow.refs) {
    const value = context[ref]
    if (value !== undefined) results[ref] = value
  }
  return Object.setPrototypeOf(results, null) as Record<string, Data>
}

const LONGEST_TITLE = 200
/** About the longest delay that a timer accepts. */
const UNLIMITED_MS = 2_147_000_000
