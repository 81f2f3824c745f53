import type { PaginationConfig } from '../../shared/contract/pagination.ts'
import { fieldErrors } from '../../shared/contract/errors.ts'
import type { Data } from '../engine/data/value.ts'
import { checkConfig, type ConfigProblem } from '../engine/pagination/index.ts'

/**
 * Refuses a pagination configuration that could not be run.
 *
 * @param names what its templates may read beside the variables of pagination
 * @throws AppError `validation` naming each field, with line and column
 */
export function requirePagination(config: PaginationConfig, names: Iterable<string>): void {
  const errors = checkConfig(config as Data, names).problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw fieldErrors(Object.fromEntries(errors.map(toFieldError)))
}

function toFieldError({ field, message, line, column }: ConfigProblem): [string, string[]] {
  const dot = field === '' || field.startsWith('[') ? '' : '.'
  const place = line === null ? '' : `line ${line}, column ${column}: `
  return [`pagination_config${dot}${field}`, [`${place}${message}`]]
}
