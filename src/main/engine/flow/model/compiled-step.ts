/** What a step type is made of, and what it works with. */
import type { Step, StepConfig, StepType } from '../../../../shared/contract/steps.ts'
import type { Data } from '../../data/value.ts'
import type { Exchange, Sleep } from '../../ports.ts'
import type { MemberPlace } from '../../template/index.ts'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import type { FlowPorts } from './ports.ts'
import type { PageFeed } from './page-feed.ts'
import type { StepError, StepErrorPlace } from './step-error.ts'

export interface StepRunner<T extends StepType> {
  /**
   * Whether it does something that cannot be undone or done twice unseen. The run is committed before and after such a
   * step; steps that only compute are run again after a crash.
   */
  readonly outside: boolean
  /** @returns the step's result, which later templates read under its `ref_id` */
  run(step: CompiledStep<T>, scope: StepScope): Data | Promise<Data>
}

/** A step made ready to run: once a flow version, for all its runs. */
export interface CompiledStep<T extends StepType = StepType> {
  readonly ref: string
  readonly type: string
  readonly config: StepConfig<T>
  /** For people, counted from 1: `3.then.1`. */
  readonly path: string
  /** As the flow is written, counted from 0: `steps[2].then[0]`. */
  readonly position: string
  readonly disabled: boolean
  readonly onError: Step['on_error']
  readonly retry: Step['retry']
  readonly outside: boolean
  readonly children: CompiledChildren
  readonly hasChildren: boolean
  /**
   * Whether turns of its children are recorded for resuming the run. Those that only compute are run again, which costs
   * less than recording them; one that may wait between its tries must know how often it was tried.
   */
  readonly recordsTurns: boolean
  /** Every `ref_id` below it. */
  readonly refsBelow: readonly string[]
  /** What its templates read of `rest` steps beside what those give. */
  readonly restMembers: readonly RestMember[]
  /** The loop right behind it that takes its pages as they come. */
  readonly pageLoop: CompiledStep | null
  run(scope: StepScope): Data | Promise<Data>
}

/** The lists of steps inside a step, those of other types empty. */
export interface CompiledChildren extends Readonly<
  Record<'steps' | 'then' | 'else' | 'default', readonly CompiledStep[]>
> {
  readonly cases: readonly { readonly label: string; readonly steps: readonly CompiledStep[] }[]
}

/**
 * How a list of steps ended: `done` at its end, `skip_iteration` and `break_loop` by the `on_error` of a step, `ended`
 * because the run is over.
 */
export type ListEnd = 'done' | 'skip_iteration' | 'break_loop' | 'ended'

/** One step in one turn, as its runner sees it. `field` names where a template stands: `config.url`. */
export interface StepScope {
  readonly ports: FlowPorts
  readonly runId: string
  /** Names the step in its turn, in the run: `3.then.1`, `4.steps.2#0.7`. */
  readonly key: string
  /** Turns of the loops around the step, outermost first. */
  readonly iteration: readonly number[]
  /** What the flow was started with. */
  readonly input: Data
  readonly env: Readonly<Record<string, Data>>
  /** Everything templates may name: step results, loop names, env values. */
  readonly context: Readonly<Record<string, Data>>
  /** Of `context` what steps have given, by `ref_id`, and the loop names. */
  readonly results: Data
  /** Aborts when the run is cancelled, times out or has to stop. */
  readonly signal: AbortSignal
  /** The flow's setting `automatic_retries`. */
  readonly retriesAllowed: boolean
  /** Whether the run can be resumed, so that long waits free the worker (`RunHalt`). */
  readonly resumable: boolean
  /** To the loop behind a paginated step, or from the step before a loop; null where a list is handed on whole. */
  readonly pages: PageFeed | null
  /** What this step has saved so far, before the run was resumed too, in order. */
  readonly savedProgress: readonly Data[]

  /** A value whose strings are templates; a string that is one whole `{{ expression }}` keeps its type. */
  evaluate(field: string, value: unknown): Data
  renderText(field: string, template: string): string
  isTrue(field: string, template: string): boolean
  /** Runs `work` so that a template error in it names the field. */
  at<T>(field: string, work: () => T): T

  /** Evaluates with `item` and `index` in the templates, for steps that look at each entry of a list. */
  withItem<T>(item: Data, index: number, work: () => T): T

  showInput(input: Data): void
  showExchange(exchange: Exchange, page: number | null): void
  /** The step is being tried again, for that reason. */
  showRetry(reason: string): void
  warn(code: string, message: string): void
  /** What the step's own code wrote. */
  showLog(lines: readonly { readonly level: string; readonly text: string }[]): void

  /** Saves what the step needs to continue when the run is resumed; it is on the disk with the next commit. */
  saveProgress(part: Data): void
  commit(): Promise<void>
  /** The decision that was saved first, else that of `decide`, which is saved. */
  decideOnce(decide: () => Data): Data
  /** Makes the result readable before the step has finished: for its child steps. */
  publish(output: Data): void
  /** Waits until that moment (milliseconds of the Unix epoch); a wait above `parkAboveMs` frees the worker. */
  waitUntil(moment: number, parkAboveMs?: number): Promise<void>
  /** As that of the ports; more than a minute of it counts nothing towards the time limit. */
  sleep: Sleep
  /** Waits for what has a time limit of its own: it counts nothing towards that of this run. */
  waitUncounted<T>(work: () => Promise<T>): Promise<T>
  /** Runs one of the child lists; how it left off holds for the list in which this step stands. */
  runChildren(list: readonly CompiledStep[]): Promise<void>
  /**
   * Runs the children once more, with `item` and `index` in their templates and none of the last turn's results.
   *
   * @param onDone called inside the turn, with its last result, where its steps ran to the end
   */
  runTurn(
    list: readonly CompiledStep[],
    item: Data,
    index: number,
    onDone: (result: Data) => void,
  ): ListEnd | Promise<ListEnd>
  /** @returns false where nobody waits for an answer, or one was given */
  answer(answer: WebhookResponse): boolean
  endRun(status: 'success' | 'error', message: string): void

  /** Lets the event loop do other work if this step has worked for a while. */
  yieldIfDue(): Promise<void>

  fail(code: string, message: string, place?: StepErrorPlace): StepError
}

/** A member of a `rest` step's result that such results never have. */
export interface RestMember extends MemberPlace {
  /** Of the step that reads it: `config.values.id`. */
  readonly field: string
  readonly source: string
}
