import type { PaginationConfig } from '../../shared/contract/pagination.ts'
import { fieldErrors } from '../../shared/contract/errors.ts'
import type { SaveWarning } from '../../shared/contract/save-warnings.ts'
import type { Data } from '../engine/data/value.ts'
import { checkConfig, type ConfigProblem } from '../engine/pagination/index.ts'

/**
 * Refuses a pagination configuration that could not be run.
 *
 * @param names what its templates may read beside the variables of pagination
 * @returns what can be run and is likely not meant
 * @throws AppError `validation` naming each field, with line and column
 */
export function requirePagination(config: PaginationConfig, names: Iterable<string>): SaveWarning[] {
  const { problems } = checkConfig(config as Data, names)
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw fieldErrors(Object.fromEntries(errors.map(toFieldError)))
  return problems.flatMap(({ severity, code, message, line, column, field }) =>
    severity === 'error' ? [] : [{ severity, code, message, field: pathOf(field), line, column }],
  )
}

function toFieldError({ field, message, line, column }: ConfigProblem): [string, string[]] {
  const place = line === null ? '' : `line ${line}, column ${column}: `
  return [pathOf(field), [`${place}${message}`]]
}

function pathOf(field: string): string {
  return `pagination_config${field === '' || field.startsWith('[') ? '' : '.'}${field}`
}
