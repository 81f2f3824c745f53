import type { Action, Connector } from '../../shared/contract/connectors.ts'
import type { SaveWarning } from '../../shared/contract/save-warnings.ts'
import { type Data, isDictionary } from '../engine/data/value.ts'
import { largePageSizes } from '../engine/pagination/index.ts'

/** What about an action that is to be paged can be saved but is likely not meant. */
export function pagingWarnings(action: Action, connector: Connector | null): SaveWarning[] {
  if (!action.supports_automatic_pagination) return []
  const warn = (code: string, field: string, message: string): SaveWarning => ({
    severity: 'warning',
    code,
    message,
    field,
    line: null,
    column: null,
  })
  const sizes = (['query', 'body'] as const).flatMap((field) => {
    const value = action[field] as Data
    if (!isDictionary(value)) return []
    return largePageSizes(value).map(({ name, message }) => warn('page_size', `${field}.${name}`, message))
  })
  if (connector === null || connector.pagination_config !== null) return sizes
  const missing = `The connector "${connector.name}" has no pagination configuration, so only one request is made`
  return [...sizes, warn('no_pagination_config', 'supports_automatic_pagination', missing)]
}
