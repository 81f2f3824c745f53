import { type Dictionary, dictionaryOf, HeaderMap } from '@millrace/jinja/data'
import { headerValue } from '../../request/headers.ts'
import { readLinks } from './link-header.ts'
import type { PageContext } from '../model/page-config.ts'
import type { PagePosition, PaginationSetup } from '../model/page-run.ts'

/** The variables of templates for the call with this `page`; `position` is null before the first response. */
export function contextFor(
  page: number,
  { action, configs, variables }: PaginationSetup,
  position: PagePosition | null,
): PageContext {
  const previous = position?.previous
  const reads = (name: string) => configs.some(({ names }) => names.has(name))
  return {
    ...variables,
    page,
    previous_request: previous?.body ?? NOTHING,
    previous_request_headers: new HeaderMap(reads('previous_request_headers') ? previous?.headers : []),
    endpoint: action.endpoint,
    links:
      previous && reads('links')
        ? readLinks(headerValue(previous.headers, 'link'), previous.address)
        : NOTHING,
    count: position?.count ?? 0,
    last_record: position?.lastRecord ?? NOTHING,
  }
}

/** The variables of conditions: those of templates, and the status of the previous response. */
export function conditionContext(context: PageContext, status: number | undefined): PageContext {
  return { ...context, status: status ?? null }
}

/** Used before there is a response. Paths below it are missing, which isn't an error. */
const NOTHING: Dictionary = dictionaryOf([])
