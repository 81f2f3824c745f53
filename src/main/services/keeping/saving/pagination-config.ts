import { say, type Said, sentenceOf, spoken } from '../../../../shared/contract/base/message.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import { fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type {
  PaginationConfig,
  PaginationConfigEntry,
} from '../../../../shared/contract/base/pagination-config.ts'
import type { SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import { type Data, isDictionary } from '@millrace/jinja/data'
import {
  checkPaginationConfig,
  type ConfigProblem,
  largePageSizes,
} from '../../../engine/pagination/index.ts'

/**
 * Rejects a pagination configuration that can't be run.
 *
 * @param names names that its templates can read besides the pagination variables
 * @returns probable mistakes in a valid configuration
 * @throws AppError `validation` naming each field, with line and column
 */
export function requirePagination(config: PaginationConfig, names: Iterable<string>): SaveWarning[] {
  const { problems } = checkPaginationConfig(config as Data, names)
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw fieldErrors(Object.fromEntries(errors.map(toFieldError)))
  return problems.flatMap(({ severity, field, ...rest }) =>
    severity === 'error' ? [] : [{ ...rest, severity, field: pathOf(field) }],
  )
}

/**
 * Probable mistakes in a remote search. Unknown names are accepted, because the form can provide names that aren't
 * known here. Without `type` and `response_fields` it is a plain pagination configuration, which is valid as a search.
 *
 * @throws AppError `validation` for an invalid type or unknown fields
 */
export function searchWarnings(
  config: NonNullable<Connector['search_config']>,
  names: Iterable<string>,
): SaveWarning[] {
  const entries = [config].flat()
  const at = (index: number, key: string) =>
    `search_config${Array.isArray(config) ? `[${index}]` : ''}.${key}`
  for (const [index, { type = 'search', response_fields: fields = {} }] of entries.entries()) {
    if (type !== 'search' && type !== 'list')
      throw fieldErrors({
        [at(index, 'type')]: [say('must be "search" if the API searches, or "list" if Millrace does')],
      })
    const paths = typeof fields === 'object' && fields !== null ? Object.entries(fields) : [['', null]]
    if (!paths.every(([key, path]) => (key === 'id' || key === 'match') && typeof path === 'string'))
      throw fieldErrors({
        [at(index, 'response_fields')]: [say('must have only the JSONPaths "id" and "match", as strings')],
      })
  }
  const pages = entries.map(({ type: _type, response_fields: _fields, ...rest }) => rest as Data)
  const [only = null] = pages
  const { problems } = checkPaginationConfig(pages.length === 1 ? only : pages, [...names, ...SEARCH_NAMES])
  return problems.map(({ severity, field, ...rest }) => ({
    ...rest,
    severity: severity === 'hint' ? 'hint' : 'warning',
    field: pathOf(field, 'search_config'),
  }))
}

const SEARCH_NAMES = ['q', 'field', 'action']

function toFieldError(problem: ConfigProblem): [string, Said[]] {
  const { field, line, column } = problem
  const rest = sentenceOf(problem)
  const said =
    line === null || column === null
      ? rest
      : say('line {{line}}, column {{column}}: {{rest}}', { line, column, rest })
  return [pathOf(field), [said]]
}

function pathOf(field: string, of = 'pagination_config'): string {
  return `${of}${field === '' || field.startsWith('[') ? '' : '.'}${field}`
}

/** Probable mistakes in a paginated action that can still be saved. */
export function pagingWarnings(action: Action, connector: Connector | null): SaveWarning[] {
  if (!action.supports_automatic_pagination) return []
  const warn = (code: string, field: string, said: Said): SaveWarning => ({
    severity: 'warning',
    code,
    ...spoken(said),
    field,
    line: null,
    column: null,
  })
  const sizes = (['query', 'body'] as const).flatMap((field) => {
    const value = action[field] as Data
    if (!isDictionary(value)) return []
    return largePageSizes(value).map(({ name, said }) => warn('page_size', `${field}.${name}`, said))
  })
  if (connector === null || connector.pagination_config !== null) return sizes
  const missing = say(
    'The connector "{{name}}" has no pagination configuration, so only one request was sent',
    { name: connector.name },
  )
  return [...sizes, warn('no_pagination_config', 'supports_automatic_pagination', missing)]
}

/** Required by the specification: `replace_body` defaults to false, and is added on save. */
export function withReplaceBody(config: PaginationConfig): PaginationConfig {
  const complete = (entry: PaginationConfigEntry) => ({ ...entry, replace_body: entry.replace_body ?? false })
  return Array.isArray(config) ? config.map(complete) : complete(config)
}
