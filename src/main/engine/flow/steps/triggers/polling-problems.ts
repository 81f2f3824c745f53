import { say, type Said, sentenceOf } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { fieldProblem } from '../../../polling/entry-field.ts'
import { checkJsonPath } from '@millrace/jinja/jsonpath'
import { isReading, sqliteProblem, statementProblem } from '../../../sql/check-statement.ts'
import { tableProblem } from '../../../sql/select-rows.ts'
import type { PolledType } from '../../model/list-read.ts'
import type { FieldProblem } from '../../../../../shared/contract/step-types/parts/step-type.ts'

/** Problems that keep a trigger from finding new entries of its list. */
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
    value?.trim() ? [] : [[`config.${name}`, say('is required if "source" is {{source}}', { source })]],
  )
  const path = records === null ? null : checkJsonPath(records.trim())
  return path === null
    ? problems
    : [
        ...problems,
        ['config.records', say("isn't a JSONPath: {{rest}}", { rest: sentenceOf(path) })] as const,
      ]
}

/** Problems that keep a trigger from finding new rows. */
export function sqlTriggerProblems(config: StepConfig<'sql_trigger'>): FieldProblem[] {
  const { auth_id, file, table, statement, key, cursor_field: cursor } = config
  const text = statement?.trim() ? readingProblem(statement, Boolean(file)) : null
  const name = table?.trim() ? tableProblem(table) : null
  return [
    ...(Boolean(file) === Boolean(auth_id)
      ? [['config', say('needs either "auth_id" or "file"')] as const]
      : []),
    ...(Boolean(table?.trim()) === Boolean(statement?.trim())
      ? [['config', say('needs either "table" or "statement"')] as const]
      : []),
    ...(name === null ? [] : [['config.table', name] as const]),
    ...(text === null ? [] : [['config.statement', text] as const]),
    ...[...key.entries()].flatMap(([at, column]): FieldProblem[] =>
      column.trim() === '' ? [[`config.key[${at}]`, say('must not be empty')]] : [],
    ),
    ...(cursor?.trim() === '' ? [['config.cursor_field', say('must not be empty')] as const] : []),
    ...lookBackProblems(config),
  ]
}

function readingProblem(statement: string, isFile: boolean): Said | null {
  const problem = statementProblem(statement) ?? (isFile ? sqliteProblem(statement) : null)
  if (problem !== null) return say('the statement {{problem}}', { problem })
  return isReading(statement) ? null : say('must only read rows: begin it with SELECT or WITH')
}

/** Problems with the fields that all triggers with a list share. */
export function pollingProblems({
  key,
  cursor_field: cursorField,
  look_back,
}: Pick<StepConfig<'list_trigger'>, 'key' | 'cursor_field' | 'look_back'>) {
  const problems = Object.entries({ key, cursor_field: cursorField }).flatMap(
    ([name, value]): FieldProblem[] => {
      const problem = value === null ? null : fieldProblem(value)
      return problem === null ? [] : [[`config.${name}`, problem]]
    },
  )
  return [...problems, ...lookBackProblems({ cursor_field: cursorField, look_back })]
}

function lookBackProblems({
  cursor_field: cursor,
  look_back: lookBack,
}: Pick<StepConfig<PolledType>, 'cursor_field' | 'look_back'>): FieldProblem[] {
  return lookBack > 0 && cursor === null
    ? [['config.look_back', say('needs a "cursor_field" to look back from')]]
    : []
}
