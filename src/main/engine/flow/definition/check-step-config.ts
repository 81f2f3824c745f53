import { say, type Message } from '../../../../shared/contract/base/message.ts'
import {
  childListsOf,
  definitionOf,
  isStepType,
  STEP_CONFIGS,
  type StepConfig,
  type StepType,
} from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { CHILD_LISTS } from '../../../../shared/contract/base/step-lists.ts'
import type { FindAction, FindPlugin, StepRunner } from '../model/compiled-step.ts'
import { STEP_RUNNERS } from '../steps/index.ts'
import {
  type CheckContext,
  type DefinitionProblem,
  type FieldProblem,
  problemAt,
  schemaProblems,
  type StepLocation,
} from './problem.ts'

/** The problems with a step of a known type: first with its lists, then with its config. */
export function checkStepConfig(
  step: Step,
  location: StepLocation,
  { findAction, findPlugin }: CheckContext,
): DefinitionProblem[] {
  const { type, config, cases = [] } = step
  if (!isStepType(type)) return []
  const lists = [...checkChildLists(step, type), ...(definitionOf(type)?.caseRules?.(cases) ?? [])]
  return [...lists, ...checkConfig(type, config, findAction, findPlugin).problems].map(([field, reason]) =>
    problemAt(location, field, reason),
  )
}

/**
 * Returns violations of the schema; if there are none, those of rules that a schema can't express; or else the
 * config.
 */
export function checkConfig<T extends StepType>(
  type: T,
  config: unknown,
  findAction: FindAction = () => null,
  findPlugin: FindPlugin = () => null,
): { readonly config: StepConfig<T> | null; readonly problems: readonly FieldProblem[] } {
  const unfit = schemaProblems(type, config)
  if (unfit.length > 0) return { config: null, problems: unfit }
  const read = STEP_CONFIGS[type].parse(config) as StepConfig<T>
  // The table's type pairs each runner with its config, but TypeScript loses that when the table is indexed.
  const runner = STEP_RUNNERS[type] as StepRunner<T>
  const problems = [
    ...(runner.check?.(read, findAction, findPlugin) ?? []),
    ...(definitionOf(type)?.rules?.(read) ?? []),
  ]
  return { config: problems.length === 0 ? read : null, problems }
}

/** The config with defaults if it matches its schema, or else a message with the problem. */
export function parseConfig<T extends StepType>(type: T, config: unknown): StepConfig<T> | Message {
  const [first] = schemaProblems(type, config)
  if (first) return say('"{{field}}" {{rest}}', { field: first[0], rest: first[1] })
  return STEP_CONFIGS[type].parse(config) as StepConfig<T>
}

function checkChildLists(step: Step, type: StepType): FieldProblem[] {
  const allowed: readonly string[] = childListsOf(type)
  return [...CHILD_LISTS, 'cases' as const]
    .filter((list) => step[list] !== undefined && !allowed.includes(list))
    .filter((list) => (step[list] ?? []).length > 0)
    .map((list) => [list, say('a step of type {{type}} has no list "{{list}}"', { type, list })])
}
