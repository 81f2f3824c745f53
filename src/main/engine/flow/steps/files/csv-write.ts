import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { writeCsv } from '@millrace/jinja/csv'
import { type Data, getKey, isDictionary, isList, keysOf } from '@millrace/jinja/data'
import { valueText } from '../../../request/query-string.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { readDelimiter } from './csv-parse.ts'
import { readList, shortText } from '../support/read-input.ts'

/** Writes a list as CSV. Nested lists and objects are written as JSON, null as an empty field. */
export const csvWrite: StepRunner<'csv_write'> = {
  outside: false,
  run({ config }, scope) {
    const rows = readList('rows', config.rows, scope)
    scope.showInput(rows)
    const delimiter = readDelimiter(scope.renderText('config.delimiter', config.delimiter), scope)
    const columns = readColumns(config, rows, scope)
    const lines = rows.map((row) => (isList(row) ? row.map(textOf) : cellsOf(row, columns, scope)))
    return writeCsv(config.header && columns.length > 0 ? [columns, ...lines] : lines, delimiter)
  },
}

/** The configured columns or, without any, all keys in the order of their first occurrence. */
function readColumns(config: StepConfig<'csv_write'>, rows: readonly Data[], scope: StepScope): string[] {
  if (config.columns) return readList('columns', config.columns, scope).map(valueText)
  const names = new Set<string>()
  for (const row of rows) if (isDictionary(row)) for (const name of keysOf(row)) names.add(name)
  return [...names]
}

function cellsOf(row: Data, columns: readonly string[], scope: StepScope): string[] {
  if (isDictionary(row)) return columns.map((name) => textOf(getKey(row, name) ?? null))
  throw scope.fail(
    'validation',
    say('a row is {{value}}; each must be an object or a list', { value: shortText(row) }),
    {
      field: 'config.rows',
    },
  )
}

function textOf(value: Data): string {
  return value === null ? '' : valueText(value)
}
