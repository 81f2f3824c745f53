/** A search configuration as the fields of its form. */
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import { formatJson } from '../../../lib/json.ts'
import { listsIn } from './config-completion.ts'

export interface SearchFields {
  readonly type: 'none' | 'list' | 'search'
  readonly endpoint: string
  readonly query: string
  readonly records: string
  readonly id: string
  readonly name: string
  /** The parts that the form has no field for, as written in the configuration. */
  readonly others: readonly string[]
}

type Config = Readonly<Record<string, unknown>>

const NO_SEARCH = {
  type: 'none',
  endpoint: '',
  query: '',
  records: '',
  id: '',
  name: '',
  others: [],
} as const

/** Null if only the JSON shows all of it: several configurations, or a query that isn't text. */
export function readSearch(config: unknown): SearchFields | null {
  if (config === null || config === undefined) return NO_SEARCH
  if (!isRecord(config)) return null
  const {
    type,
    endpoint = '',
    query = '',
    response_jsonpath: records = '',
    response_fields,
    ...rest
  } = config
  const { id = '', match: name = '' } = isRecord(response_fields) ? response_fields : {}
  if (![endpoint, query, records, id, name].every((value) => typeof value === 'string')) return null
  const texts = { endpoint, query, records, id, name } as Record<
    'endpoint' | 'query' | 'records' | 'id' | 'name',
    string
  >
  const others = Object.entries(rest).map(([key, value]) => `${key}: ${formatJson(value, 0)}`)
  return { type: type === 'list' ? 'list' : 'search', ...texts, others }
}

/** Keys without a field are kept. */
export function writeSearch(before: unknown, fields: SearchFields): Config | null {
  const { type, endpoint, query, records, id, name } = fields
  if (type === 'none') return null
  const {
    endpoint: _endpoint,
    query: _query,
    response_jsonpath: _records,
    response_fields: _fields,
    ...kept
  } = isRecord(before) ? before : {}
  const paths = present({ id, match: name })
  return {
    ...kept,
    type,
    // Without one of these it wouldn't be a pagination configuration.
    ...present({ endpoint, query: query === '' ? '{}' : query, response_jsonpath: records }),
    ...(Object.keys(paths).length === 0 ? {} : { response_fields: paths }),
  }
}

function present(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
}

/** A search in the list of an action, derived from the action's response; null if that contains no list. */
export function searchFrom(
  action: Action,
  paging: Connector['pagination_config'],
  output: unknown,
): Config | null {
  const [list] = listsIn(output)
  if (list === undefined) return null
  // A search has one path for all of its calls.
  const pages =
    !action.supports_automatic_pagination ||
    paging === null ||
    Array.isArray(paging) ||
    paging.endpoint !== undefined
      ? {}
      : paging
  const fixed = Object.entries(action.query).filter(([, value]) => !formatJson(value, 0).includes('input'))
  return {
    ...pages,
    type: 'list',
    endpoint: action.endpoint,
    query: joined(Object.fromEntries(fixed), pages.query ?? '{}'),
    ...(list.path === '$' ? {} : { response_jsonpath: list.path }),
  }
}

/** The query of the action, followed by that of the pages, which is an object or a template of one. */
function joined(fixed: Config, paged: string | Config): unknown {
  if (typeof paged !== 'string') return { ...fixed, ...paged }
  const [own, more] = [formatJson(fixed, 0).slice(1, -1), paged.trim().replace(/^\{/, '')]
  return own === '' ? paged : `{${own}${/^\s*\}/.test(more) ? '' : ', '}${more}`
}

function isRecord(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
