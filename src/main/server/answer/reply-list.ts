import type { Request } from 'express'
import type { KeyedPage, RecordPage } from '../../services/kit/pages.ts'
import { reply, type Reply } from './reply.ts'

/** Replies with the records as a bare array, the total in `X-Total-Count`, and adjacent pages in `Link`. */
export function replyPage<T>(request: Request, { records, total, page, perPage }: RecordPage<T>): Reply<T[]> {
  const links = perPage === undefined ? [] : pageLinks(request, page, Math.ceil(total / perPage))
  return reply(200, [...records], { 'X-Total-Count': String(total), ...linkHeader(links) })
}

export function replyKeyedPage<T>(request: Request, { records, total, next }: KeyedPage<T>): Reply<T[]> {
  const links = next === null ? [] : [linkTo(request, 'next', { after: next, page: null })]
  const count: Record<string, string> = total === null ? {} : { 'X-Total-Count': String(total) }
  return reply(200, [...records], { ...count, ...linkHeader(links) })
}

function pageLinks(request: Request, page: number, pages: number): string[] {
  const previous =
    page > 1 ? [linkTo(request, 'prev', { page: String(Math.min(page - 1, Math.max(pages, 1))) })] : []
  const next = page < pages ? [linkTo(request, 'next', { page: String(page + 1) })] : []
  return [...next, ...previous]
}

/** A link as in RFC 8288, with the requested URL and this parameter changed. */
function linkTo(
  request: Request,
  rel: 'next' | 'prev',
  change: Readonly<Record<string, string | null>>,
): string {
  const url = new URL(request.url, `http://${request.headers.host}`)
  for (const [name, value] of Object.entries(change)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return `<${url.href}>; rel="${rel}"`
}

function linkHeader(links: readonly string[]): Record<string, string> {
  return links.length === 0 ? {} : { Link: links.join(', ') }
}
