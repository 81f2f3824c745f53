import type { Route, RouteRequest, RouteResult } from '../../shared/contract/base/route.ts'
import type { Api } from './create-api.ts'

/** The largest page size of a list. */
const PER_PAGE = 200

interface Part {
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Reads all pages of a list. This is the only way to get a complete list. */
export async function listAll<R extends Route>(
  api: Pick<Api, 'call'>,
  route: R,
  query: Readonly<Record<string, string | readonly string[]>> = {},
  { params = {}, signal }: Part = {},
): Promise<RouteResult<R>> {
  const found: unknown[] = []
  for (let page = 1; ; page += 1) {
    const paged = { ...query, page: String(page), per_page: String(PER_PAGE) }
    const records = (await api.call(
      route,
      { params, query: paged } as RouteRequest<R>,
      signal,
    )) as readonly unknown[]
    found.push(...records)
    if (records.length < PER_PAGE) return found as RouteResult<R>
  }
}
