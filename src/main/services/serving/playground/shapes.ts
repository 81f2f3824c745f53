/** One path for each of the eight common pagination styles. */
import { ok, problem, wholeNumber, type PlaygroundAnswer, type PlaygroundRequest } from './answer.ts'
import { CONTACTS, ORDERS, TICKETS } from './data.ts'

const PAGE_SIZE = 10

/** Page number; records nested in an object. */
export function contactsByPage({ query }: PlaygroundRequest): PlaygroundAnswer {
  const page = wholeNumber(query.get('page'), 1, 1, 1_000_000)
  const size = wholeNumber(query.get('per_page'), PAGE_SIZE, 1, 100)
  return ok({ contacts: slice(CONTACTS, (page - 1) * size, size), page, total: CONTACTS.length })
}

/** Page number, optionally only orders after a time; the response itself is the list. */
export function ordersByPage({ query }: PlaygroundRequest): PlaygroundAnswer {
  const page = wholeNumber(query.get('page'), 1, 1, 1_000_000)
  const after = query.get('created_after') ?? ''
  const orders = withStatus(query).filter(({ created_at }) => created_at > after)
  return ok(slice(orders, (page - 1) * PAGE_SIZE, PAGE_SIZE))
}

/** Cursor in the body; the key is absent on the last page. */
export function ticketsByCursor({ query }: PlaygroundRequest): PlaygroundAnswer {
  const start = readCursor(query.get('after'))
  if (start === null) return problem(400, `"${query.get('after')}" isn't a cursor of this list`)
  const next = start + PAGE_SIZE
  return ok({
    results: slice(TICKETS, start, PAGE_SIZE),
    ...(next < TICKETS.length ? { paging: { next: { after: writeCursor(next) } } } : {}),
  })
}

/** First POST …/query, then POST …/query/more with only the cursor. */
export function contactsByQuery({ path, body }: PlaygroundRequest): PlaygroundAnswer {
  const cursor = isObject(body) && typeof body.cursor === 'string' ? body.cursor : null
  const more = path.endsWith('/more')
  if (more && (cursor === null || Object.keys(body as object).length !== 1)) {
    return problem(400, 'Further pages take the cursor and nothing else: {"cursor": "…"}')
  }
  const start = more ? readCursor(cursor) : 0
  if (start === null) return problem(400, `"${cursor}" isn't a cursor of this list`)
  const next = start + PAGE_SIZE
  const has = next < CONTACTS.length
  return ok({
    records: slice(CONTACTS, start, PAGE_SIZE),
    has_more: has,
    cursor: has ? writeCursor(next) : null,
  })
}

/** Limit and an offset that counts from 1. */
export function ordersByOffset({ query }: PlaygroundRequest): PlaygroundAnswer {
  const limit = wholeNumber(query.get('limit'), PAGE_SIZE, 1, 100)
  const offset = wholeNumber(query.get('offset'), 1, 1, 1_000_000)
  return ok({ rows: slice(ORDERS, offset - 1, limit), offset, limit })
}

/** Limit and skip. */
export function ticketsBySkip({ query }: PlaygroundRequest): PlaygroundAnswer {
  const limit = wholeNumber(query.get('limit'), PAGE_SIZE, 1, 100)
  return ok({ data: slice(TICKETS, wholeNumber(query.get('skip'), 0, 0, 1_000_000), limit) })
}

/** Offset and limit in request headers; the response itself is the list. */
export function contactsByHeader({ headers }: PlaygroundRequest): PlaygroundAnswer {
  const limit = wholeNumber(one(headers['x-limit']), PAGE_SIZE, 1, 100)
  return ok(slice(CONTACTS, wholeNumber(one(headers['x-offset']), 0, 0, 1_000_000), limit))
}

/** Next URL in the `Link` header; rejects a filter combined with `page_info`, as some APIs do. */
export function ordersByLink({ query, base }: PlaygroundRequest): PlaygroundAnswer {
  const info = query.get('page_info')
  if (info !== null && query.has('status')) {
    return problem(400, 'status must not be sent together with page_info; the link already carries it')
  }
  const [status, at] = info === null ? [query.get('status') ?? '', '0'] : info.split('.')
  const all = status ? ORDERS.filter((order) => order.status === status) : ORDERS
  const start = wholeNumber(at, 0, 0, 1_000_000)
  const next = start + PAGE_SIZE
  const link = (position: number, rel: string) =>
    `<${base}/orders/linked?limit=${PAGE_SIZE}&page_info=${status}.${position}>; rel="${rel}"`
  const links = [
    ...(start > 0 ? [link(Math.max(0, start - PAGE_SIZE), 'previous')] : []),
    ...(next < all.length ? [link(next, 'next')] : []),
  ]
  return ok({ orders: slice(all, start, PAGE_SIZE) }, links.length > 0 ? { Link: links.join(', ') } : {})
}

function withStatus(query: URLSearchParams) {
  const status = query.get('status')
  return status === null ? ORDERS : ORDERS.filter((order) => order.status === status)
}

function slice<T>(list: readonly T[], start: number, count: number): readonly T[] {
  return list.slice(start, start + count)
}

const writeCursor = (start: number) => Buffer.from(`from:${start}`).toString('base64')

function readCursor(cursor: string | null): number | null {
  if (cursor === null) return 0
  const start = /^from:(\d{1,6})$/.exec(Buffer.from(cursor, 'base64').toString('latin1'))?.[1]
  return start === undefined ? null : Number(start)
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
