import type { StepConfig } from '../../../../shared/contract/steps.ts'
import { fieldProblem } from '../../polling/entry-field.ts'
import { checkJsonPath } from '../../jsonpath/index.ts'
import type { PolledType } from '../model/list-read.ts'
import type { FieldProblem } from './problem.ts'

/** What keeps a trigger from finding new entries of its list. */
export function listTriggerProblems(config: StepConfig<'list_trigger'>): FieldProblem[] {
  return [...sourceProblems(config), ...pollingProblems(config)]
}

function sourceProblems({
  source,
  connector_id: connectorId,
  action,
  url,
  records,
}: StepConfig<'list_trigger'>) {
  const required = source === 'feed' ? ({ url } as const) : ({ connector_id: connectorId, action } as const)
  const problems = Object.entries(required).flatMap(([name, value]): FieldProblem[] =>
    value?.trim() ? [] : [[`config.${name}`, `is required if "source" is ${source}`]],
  )
  const path = records === null ? null : checkJsonPath(records.trim())
  return path === null
    ? problems
    : [...problems, ['config.records', `isn't a JSONPath: ${path.message}`] as const]
}

/** Of the fields that all triggers with a list share. */
export function pollingProblems({
  key,
  cursor_field: cursorField,
  look_back: lookBack,
}: StepConfig<PolledType>) {
  const problems = Object.entries({ key, cursor_field: cursorField }).flatMap(
    ([name, value]): FieldProblem[] => {
      const problem = value === null ? null : fieldProblem(value)
      return problem === null ? [] : [[`config.${name}`, problem]]
    },
  )
  if (lookBack > 0 && cursorField === null)
    problems.push(['config.look_back', 'needs a "cursor_field" to look back from'])
  return problems
}
