import type { Route, RouteRequest, RouteResult } from '../../shared/contract/base/route.ts'
import type { Api } from './create-api.ts'

/** The largest page size of a list. */
const PER_PAGE = 200

/** Reads all pages of a list that is short for nearly all users. Stops after `most` records. */
export async function listAll<R extends Route>(
  api: Pick<Api, 'list'>,
  route: R,
  query: Readonly<Record<string, string>> = {},
  most = Number.POSITIVE_INFINITY,
): Promise<RouteResult<R>> {
  const found: unknown[] = []
  for (let page = 1; ; page += 1) {
    const paged = { ...query, page: String(page), per_page: String(PER_PAGE) }
    const { items } = await api.list(route, { query: paged } as RouteRequest<R>)
    const records = items as readonly unknown[]
    found.push(...records)
    if (records.length < PER_PAGE || found.length >= most) return found as RouteResult<R>
  }
}
