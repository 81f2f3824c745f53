import { Message, type Said } from '../../../../shared/contract/base/message.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import {
  hasCallback,
  isStepType,
  LOOP_TYPES,
  triggersOf,
  type StepType,
} from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { CHILD_LISTS, EACH, stepsIn } from '../../../../shared/contract/base/step-lists.ts'
import type { CallbackStep, CompiledChildren, CompiledStep, StepRunner } from '../model/compiled-step.ts'
import { STEP_RUNNERS } from '../steps/index.ts'
import { forEachItem, stepForItem } from '../steps/support/for-each.ts'
import {
  type AnswerFields,
  pageResponse,
  type ResponseConfig,
  WEBHOOK_FIELDS,
  webhookResponse,
} from '../steps/support/webhook-answer.ts'
import { unknownStepSentence } from './problem.ts'
import { parseConfig } from './check-step-config.ts'
import { plainRestRefs, restMembersOf } from './rest-members.ts'
import { takesPages } from './takes-pages.ts'

/** A version of a flow, prepared once for all its runs. */
export interface CompiledFlow {
  readonly steps: readonly CompiledStep[]
  /** The steps that start the flow, including disabled ones. A run contains only the one that started it. */
  readonly triggers: readonly CompiledStep[]
  /** The webhook step, if the flow has one that isn't disabled. */
  readonly trigger: CompiledStep<'webhook'> | null
  /** The form trigger, if the flow has one that isn't disabled. */
  readonly form: CompiledStep<'form_trigger'> | null
  /** The response that its webhook or form configures, rendered at the end of a run; null if it configures none. */
  readonly response: ConfiguredResponse | null
  /** Whether callers of its webhook or form wait for the end of the run. */
  readonly makesCallersWait: boolean
  /** Steps outside loops that have a URL which templates can read. */
  readonly callbacks: readonly CallbackStep[]
  /** Every `ref_id` in the flow. */
  readonly refs: readonly string[]
  /** Whether any step has an effect outside the run. */
  readonly outside: boolean
  readonly timeoutMs: number
  readonly retriesAllowed: boolean
  readonly dynamicTitle: string | null
}

export interface ConfiguredResponse {
  readonly step: CompiledStep
  readonly config: ResponseConfig
  readonly fields: AnswerFields
}

/** Never throws. A step that can't be compiled fails when it is reached, so that the run shows why. */
export function compileFlow({ steps: source, settings }: Pick<Flow, 'steps' | 'settings'>): CompiledFlow {
  const steps = compileList(source, '', 'steps', plainRestRefs(source))
  const triggers = triggersOf(steps)
  const enabled = triggers.filter(({ disabled }) => !disabled)
  const all = steps.flatMap((step) => [step, ...below(step)])
  const trigger: CompiledFlow['trigger'] = enabled.find(isWebhook) ?? null
  const form: CompiledFlow['form'] = trigger === null ? (enabled.find(isForm) ?? null) : null
  return {
    steps,
    triggers,
    trigger,
    form,
    response: responseOf(trigger, form),
    makesCallersWait: trigger?.config.async === false || form?.config.response === 'page',
    callbacks: callbacksIn(steps),
    refs: [...new Set(all.map(({ ref }) => ref))],
    outside: all.some(({ outside, disabled }) => outside && !disabled),
    timeoutMs: settings.timeout_seconds * 1000,
    retriesAllowed: settings.automatic_retries,
    dynamicTitle: settings.dynamic_title === '' ? null : settings.dynamic_title,
  }
}

/** The trigger that a run starts with: the one with that name, or the first that isn't disabled. */
export function startingTrigger(
  { triggers }: Pick<CompiledFlow, 'triggers'>,
  ref: string | undefined,
): CompiledStep | null {
  const [first] = triggers
  // Most flows have a single trigger. If it is disabled, the run shows it as skipped.
  if (first === undefined || triggers.length === 1) return first ?? null
  const enabled = triggers.filter(({ disabled }) => !disabled)
  return enabled.find((one) => one.ref === ref) ?? enabled[0] ?? first
}

/** Whether callers of a run that this trigger starts wait for its end. */
export function waitsForEnd(flow: CompiledFlow, ref: string | undefined): boolean {
  return flow.makesCallersWait && startingTrigger(flow, ref)?.ref === flow.response?.step.ref
}

function compileList(
  steps: readonly Step[],
  path: string,
  position: string,
  rests: ReadonlySet<string>,
): CompiledStep[] {
  const compiled: CompiledStep[] = []
  // Compiles in reverse order, so that each step knows its successor.
  for (const [index, step] of [...steps.entries()].reverse()) {
    const ready = compileStep(step, `${path}${index + 1}`, `${position}[${index}]`, rests)
    const [next] = compiled
    const pageLoop = next !== undefined && takesPages(steps[index + 1], step) ? next : null
    compiled.unshift({ ...ready, pageLoop })
  }
  return compiled
}

function compileStep(step: Step, path: string, position: string, rests: ReadonlySet<string>): CompiledStep {
  const lists = CHILD_LISTS.map((list) => [
    list,
    compileList(step[list] ?? [], `${path}.${list}.`, `${position}.${list}`, rests),
  ])
  const forItem = stepForItem(step)
  const part = forItem && compileStep(forItem, `${path}.${EACH}.1`, position, rests)
  const children: CompiledChildren = {
    ...Object.fromEntries(lists),
    ...(part && { steps: [{ ...part, isPart: true }] }),
    cases: (step.cases ?? []).map(({ label, steps }, index) => ({
      label,
      steps: compileList(
        steps,
        `${path}.cases.${index + 1}.steps.`,
        `${position}.cases[${index}].steps`,
        rests,
      ),
    })),
  }
  const list = stepsIn(children)
  const shape = {
    ref: step.ref_id,
    type: step.type,
    path,
    position,
    disabled: step.disabled,
    isPart: false,
    onError: step.on_error,
    retry: part === null ? step.retry : null,
    children,
    hasChildren: list.length > 0,
    recordsTurns: list.some(({ outside, retry, recordsTurns }) => outside || retry !== null || recordsTurns),
    refsBelow: list.flatMap((child) => [child.ref, ...child.refsBelow]),
    callbacks: LOOP_TYPES.includes(step.type) ? callbacksIn(list) : [],
    restMembers: restMembersOf(step, rests),
    pageLoop: null,
  }
  return { ...shape, ...compileRunner(step, shape, part !== null) }
}

type Compiled = Pick<CompiledStep, 'config' | 'outside' | 'commits' | 'run'>
type Shape = Omit<CompiledStep, keyof Compiled>

function compileRunner(step: Step, shape: Shape, runsParts: boolean): Compiled {
  if (!isStepType(step.type)) {
    return broken('unknown_step_type', unknownStepSentence(step))
  }
  return bind(step.type, step.config, shape, runsParts)
}

function bind(type: StepType, source: Step['config'], shape: Shape, runsParts: boolean): Compiled {
  const config = parseConfig(type, source)
  if (config instanceof Message) return broken('validation', config)
  // The table's type pairs each runner with its config, but TypeScript loses that when the table is indexed.
  const runner = (runsParts ? forEachItem : STEP_RUNNERS[type]) as StepRunner<StepType>
  const compiled: Omit<Compiled, 'run'> = {
    config,
    outside: runner.outside,
    commits: (ports) => runner.commits?.(config, ports) ?? 'around',
  }
  const step = { ...shape, ...compiled } as CompiledStep
  return { ...compiled, run: (scope) => runner.run(step, scope) }
}

/** A copy of the step with another config. Doesn't support steps that make a call for each item of a list. */
export function withConfig(step: CompiledStep, source: Step['config']): CompiledStep {
  return isStepType(step.type) ? { ...step, ...bind(step.type, source, step, false) } : step
}

function broken(code: string, sentence: Said): Compiled {
  return {
    config: {},
    outside: false,
    commits: () => 'around',
    run(scope) {
      throw scope.fail(code, sentence)
    },
  }
}

function below(step: CompiledStep): CompiledStep[] {
  return stepsIn(step.children).flatMap((child) => [child, ...below(child)])
}

/** Steps in a loop are left out, because their URL differs in each iteration. */
function callbacksIn(steps: readonly CompiledStep[]): CallbackStep[] {
  return steps.flatMap((step) => [
    ...(hasCallback(step.type) ? [step] : []),
    ...(LOOP_TYPES.includes(step.type) ? [] : callbacksIn(stepsIn(step.children))),
  ])
}

function isWebhook(step: CompiledStep): step is CompiledStep<'webhook'> {
  return step.type === 'webhook'
}

function isForm(step: CompiledStep): step is CompiledStep<'form_trigger'> {
  return step.type === 'form_trigger'
}

function responseOf(trigger: CompiledFlow['trigger'], form: CompiledFlow['form']): CompiledFlow['response'] {
  if (trigger !== null)
    return { step: trigger, config: webhookResponse(trigger.config), fields: WEBHOOK_FIELDS }
  if (form?.config.response !== 'page') return null
  return { step: form, config: pageResponse(form.config), fields: WEBHOOK_FIELDS }
}
