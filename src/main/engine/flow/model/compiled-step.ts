/** The definition of a step type's runner, and the scope that it works with. */
import type { Said } from '../../../../shared/contract/base/message.ts'
import type { Action } from '../../../../shared/contract/connectors.ts'
import type { FieldProblem } from '../../../../shared/contract/step-types/parts/step-type.ts'
import type { StepConfig, StepType } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { ListName } from '../../../../shared/contract/base/step-lists.ts'
import type { Data } from '@millrace/jinja/data'
import type { Exchange, Sleep } from '../../ports.ts'
import type { MemberPlace } from '@millrace/jinja'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import type { FlowPorts, InstalledPlugin, MergeCounts } from './ports.ts'
import type { PageFeed } from './page-feed.ts'
import type { RunHalt } from './run-halt.ts'
import type { StepError, StepErrorPlace } from './step-error.ts'

export interface StepRunner<T extends StepType> {
  /**
   * Whether it has effects outside the run, which can't be undone and might be noticed if repeated. Steps without
   * such effects run again after a crash.
   */
  readonly outside: boolean
  /** When the run is committed, if the step has effects outside. Defaults to before and after the step. */
  commits?(config: StepConfig<T>, ports: Pick<FlowPorts, 'findAction'>): Commits
  /** Checks a config that matches its schema against rules that the type's definition can't express. */
  check?(config: StepConfig<T>, findAction: FindAction, findPlugin: FindPlugin): readonly FieldProblem[]
  /** @returns the step's result, which later templates read under its `ref_id` */
  run(step: CompiledStep<T>, scope: StepScope): Data | Promise<Data>
}

/**
 * With `after`, the step's effect begins with the commit that stores it. With `soon`, the step only reads, so nothing
 * waits for the disk, and a crash repeats the reads of the last quarter of a second.
 */
export type Commits = 'around' | 'after' | 'soon'

/** Null if the action doesn't exist. */
export type FindAction = (connectorId: string, name: string) => Action | null

/** Null if the plug-in isn't installed. */
export type FindPlugin = (name: string) => InstalledPlugin | null

/** A step prepared for execution: compiled once per flow version, for all its runs. */
export interface CompiledStep<T extends StepType = StepType> {
  readonly ref: string
  readonly type: string
  readonly config: StepConfig<T>
  /** The position as shown to people, counted from 1: `3.then.1`. */
  readonly path: string
  /** The position in the flow's JSON, counted from 0: `steps[2].then[0]`. */
  readonly position: string
  readonly disabled: boolean
  /** Whether this is the part of the step with the same name that runs for a single item of its list. */
  readonly isPart: boolean
  readonly onError: Step['on_error']
  readonly retry: Step['retry']
  readonly outside: boolean
  readonly commits: (ports: Pick<FlowPorts, 'findAction'>) => Commits
  readonly children: CompiledChildren
  readonly hasChildren: boolean
  /**
   * Whether iterations of its children are recorded for resuming. Children that only compute run again, which costs
   * less than recording them, but a child that may wait between attempts must know how many it made.
   */
  readonly recordsTurns: boolean
  /** Every `ref_id` below it. */
  readonly refsBelow: readonly string[]
  /** For a loop, the steps that have a URL in each iteration, which templates in it can read. */
  readonly callbacks: readonly CallbackStep[]
  /** Properties of `rest` results that its templates read although they never exist. */
  readonly restMembers: readonly RestMember[]
  /** The next step, if it is a loop that processes the pages as they arrive. */
  readonly pageLoop: CompiledStep | null
  run(scope: StepScope): Data | Promise<Data>
}

/** A step with a URL, which is read as `callbacks.REF_ID.url`. */
export type CallbackStep = Pick<CompiledStep, 'ref' | 'path' | 'type'>

/** The child lists of a step; those of other types are empty. */
export interface CompiledChildren extends Readonly<Record<ListName, readonly CompiledStep[]>> {
  readonly cases: readonly { readonly label: string; readonly steps: readonly CompiledStep[] }[]
}

/**
 * How a list of steps ended: `done` at its end, `skip_iteration` and `break_loop` by the `on_error` of a step, `ended`
 * because the run is over.
 */
export type ListEnd = 'done' | 'skip_iteration' | 'break_loop' | 'ended'

/** `halted` means that the run has to stop, for example because it was cancelled. */
export type Attempt =
  | { readonly kind: 'done'; readonly result: Data }
  | { readonly kind: 'failed'; readonly failure: StepError }
  | { readonly kind: 'halted'; readonly halt: RunHalt }

/** One step in one iteration, as its runner sees it. `field` names the location of a template: `config.url`. */
export interface StepScope {
  readonly ports: FlowPorts
  readonly runId: string
  /** Identifies the step and iteration within the run: `3.then.1`, `4.steps.2#0.7`. */
  readonly key: string
  /** Iterations of the loops around the step, outermost first. */
  readonly iteration: readonly number[]
  /** The input that the flow was started with. */
  readonly input: Data
  readonly env: Readonly<Record<string, Data>>
  /** Everything that templates can read: step results, loop names, variables. */
  readonly context: Readonly<Record<string, Data>>
  /** The part of `context` with step results, by `ref_id`, and loop names. */
  readonly results: Data
  /** Aborts when the run is cancelled, times out or has to stop. */
  readonly signal: AbortSignal
  /** The flow's setting `automatic_retries`. */
  readonly retriesAllowed: boolean
  /** Whether the run can be resumed, so that long waits free the worker (`RunHalt`). */
  readonly resumable: boolean
  /**
   * Passes pages to the loop after a paginated step, or from the step before a loop. Null if the list is
   * passed on as a whole.
   */
  readonly pages: PageFeed | null
  /** What this step has saved so far, in order, including before the run was resumed. */
  readonly savedProgress: readonly Data[]

  /** Renders a value whose strings are templates; a string that is one whole `{{ expression }}` keeps its type. */
  evaluate(field: string, value: unknown): Data
  renderText(field: string, template: string): string
  isTrue(field: string, template: string): boolean
  /** Runs `work` so that a template error in it names the field. */
  at<T>(field: string, work: () => T): T

  /** Evaluates with `item` and `index` in the templates, for steps that process each item of a list. */
  withItem<T>(item: Data, index: number, work: () => T): T
  /** Evaluates with additional variables in the templates. */
  withNames<T>(names: Readonly<Record<string, Data>>, work: () => T): T

  showInput(input: Data): void
  showExchange(exchange: Exchange, page: number | null): void
  /** Shows that there is nothing to do until the next response. */
  showWaiting(): void
  /** Shows how many records the page of the newest exchange had. */
  showRecords(count: number): void
  showMerged(counts: MergeCounts): void
  /** Shows that the step is being retried, and why. */
  showRetry(reason: Said): void
  warn(code: string, said: Said, inDoubt?: boolean): void
  /** Why a list that was read earlier in the run may be incomplete; null if there is no doubt. */
  readonly listInDoubt: Said | null
  /** Shows what the step's own code logged. */
  showLog(lines: readonly { readonly level: string; readonly text: string }[]): void

  /**
   * Saves what the step needs to continue when the run is resumed; it is on disk after the next commit.
   *
   * @param shorten returns what is still needed of an earlier part, so that the rest needn't stay in
   * memory
   */
  saveProgress(part: Data, shorten?: (earlier: Data) => Data): void
  commit(): Promise<void>
  /** Commits the saved progress within a quarter of a second. Nothing waits for that. */
  commitSoon(): void
  /** Returns the saved decision. If there is none yet, calls `decide` and saves its result. */
  decideOnce(decide: () => Data): Data
  /** Makes the result readable for the child steps before the step has finished. */
  publish(output: Data): void
  /** Waits until a time (milliseconds since the Unix epoch); a wait longer than `parkAboveMs` frees the worker. */
  waitUntil(moment: number, parkAboveMs?: number): Promise<void>
  /** Like the sleep in the ports, but a sleep of more than a minute doesn't count towards the time limit. */
  sleep: Sleep
  /** Waits for work that has its own time limit, without counting the wait towards this run's limit. */
  waitUncounted<T>(work: () => Promise<T>): Promise<T>
  /** Runs one of the child lists; how it ended also applies to the list that contains this step. */
  runChildren(list: readonly CompiledStep[]): Promise<void>
  /**
   * Like `runChildren`, but returns a failure instead of throwing it. A halt, after which the run continues later, is
   * still thrown.
   */
  attempt(list: readonly CompiledStep[]): Promise<Attempt>
  /**
   * Runs a child list even if the run has to stop, or is asked to stop in the meantime. A second request stops it,
   * and so does its own time limit. The list's end only counts if it isn't `done`.
   *
   * @param halt why the run stops afterwards
   */
  runFinally(list: readonly CompiledStep[], halt: RunHalt | null): Promise<void>
  /**
   * Runs the children for another iteration, with `item` and `index` in their templates and without the results of
   * the previous one.
   *
   * @param onDone called within the iteration, with its last result, if its steps ran to the end
   */
  runTurn(
    list: readonly CompiledStep[],
    item: Data,
    index: number,
    onDone: (result: Data) => void,
  ): ListEnd | Promise<ListEnd>
  /**
   * Like `runTurn`, but in parallel with other iterations, each with its own results. Afterwards, those of the last
   * iteration can be read.
   *
   * @param onDone evaluates templates with the iteration's own scope
   */
  runTurnAside(
    list: readonly CompiledStep[],
    item: Data,
    index: number,
    onDone: (scope: StepScope, result: Data) => void,
  ): Promise<ListEnd>
  /**
   * Runs a list in parallel with others, with its own results, which can be read after this step. How it ended also
   * applies to the list that contains this step.
   *
   * @returns its last result
   */
  runBranch(list: readonly CompiledStep[]): Promise<Data>
  /** @returns false if no caller is waiting, or if it has already received a response */
  answer(answer: WebhookResponse): boolean
  endRun(status: 'success' | 'error', message: string): void

  /** Yields to the event loop if this step has worked for a while. */
  yieldIfDue(): Promise<void>

  fail(code: string, sentence: Said, place?: StepErrorPlace): StepError
}

/** A property that a `rest` step's result never has. */
export interface RestMember extends MemberPlace {
  /** The field of the step that reads it: `config.values.id`. */
  readonly field: string
  readonly source: string
}
