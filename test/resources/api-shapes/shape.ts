/** How one API paginates a list, imitated from its public documentation, without real values. */
export interface ApiShape {
  readonly name: string
  /** The first call, as in the documentation: `GET v1/things?limit=3`. */
  readonly call: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /** How many records it has; defaults to 8. */
  readonly total?: number
  readonly serve: (request: ShapeRequest) => ShapeAnswer
}

export interface ShapeRequest {
  readonly method: string
  /** Relative to the base, without the leading slash. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  /** The URL that `path` is relative to. */
  readonly base: string
}

export interface ShapeAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface Row {
  readonly id: string
  readonly name: string
}

/** One page, as a shape writes it. */
export interface Cut {
  readonly rows: readonly Row[]
  /** The number of records before it. */
  readonly start: number
  readonly size: number
  readonly total: number
  /** Page number, from 1. */
  readonly page: number
  readonly pages: number
  readonly more: boolean
  /** A cursor for the following page; null on the last one. */
  readonly next: string | null
  readonly nextStart: number | null
  readonly last: Row | undefined
  readonly path: string
  readonly base: string
  /** The absolute URL of this call with other parameters. */
  readonly link: (parameters: Readonly<Record<string, string | number | null>>) => string
}

export type WriteCut = (cut: Cut) => unknown

export class WithHeaders {
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown

  constructor(headers: Record<string, string | number | null | false>, body: unknown) {
    const kept = Object.entries(headers).filter(([, value]) => value !== null && value !== false)
    this.headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
    this.body = body
  }
}

export interface Cutting {
  readonly size?: number
  readonly total?: number
  /** Whether the API rejects other parameters in combination with its cursor. */
  readonly alone?: boolean
  /** The only path of further pages. */
  readonly path?: string
}

const bad = (message: string): ShapeAnswer => ({ status: 400, body: { message } })

/** Reads `after`, `body.paging.after` or `header.x-cursor` from a request. */
function read(request: ShapeRequest, name: string): unknown {
  if (name.startsWith('header.')) return request.headers[name.slice(7).toLowerCase()]
  if (!name.startsWith('body.')) return request.query.get(name) ?? undefined
  let value: unknown = request.body
  for (const key of name.slice(5).split('.')) value = (value as Record<string, unknown> | null)?.[key]
  return value
}

function cut(
  request: ShapeRequest,
  start: number,
  write: WriteCut,
  { size = 3, total = 8 }: Cutting,
): ShapeAnswer {
  const rows = Array.from({ length: Math.max(0, Math.min(size, total - start)) }, (_, index) => ({
    id: `r${start + index + 1}`,
    name: `Row ${start + index + 1}`,
  }))
  const more = start + size < total
  const written = write({
    rows,
    start,
    size,
    total,
    page: Math.floor(start / size) + 1,
    pages: Math.ceil(total / size),
    more,
    next: more ? cursorAt(start + size) : null,
    nextStart: more ? start + size : null,
    last: rows.at(-1),
    path: `/${request.path}`,
    base: request.base,
    link(parameters) {
      const query = new URLSearchParams(request.query)
      for (const [name, value] of Object.entries(parameters)) {
        if (value === null) query.delete(name)
        else query.set(name, String(value))
      }
      return `${request.base}/${request.path}?${query}`
    },
  })
  return written instanceof WithHeaders ? { headers: written.headers, body: written.body } : { body: written }
}

/** A cursor that would break if it were not sent unchanged. */
const cursorAt = (start: number) => Buffer.from(`at "${start}" & more+/=`).toString('base64')
const startOf = (cursor: string) => Number(/^at "(\d+)"/.exec(Buffer.from(cursor, 'base64').toString())?.[1])

/** A cursor created by the server: in the query, or `body.…`, `header.…`. */
export function byToken(name: string, write: WriteCut, more: Cutting = {}): ApiShape['serve'] {
  return (request) => {
    const cursor = read(request, name)
    if (cursor === undefined || cursor === null || cursor === '') return cut(request, 0, write, more)
    const start = typeof cursor === 'string' ? startOf(cursor) : Number.NaN
    if (Number.isNaN(start)) return bad(`no such ${name}: ${JSON.stringify(cursor)}`)
    if (more.alone === true && [...request.query].length > 1) return bad(`only ${name} may be sent`)
    if (more.path !== undefined && request.path !== more.path) return bad(`further pages are at ${more.path}`)
    return cut(request, start, write, more)
  }
}

/** The page number; the first page has the number `first`. */
export function byPage(name: string, first: number, write: WriteCut, more: Cutting = {}): ApiShape['serve'] {
  return (request) => {
    const number = Number(read(request, name) ?? first)
    if (!Number.isInteger(number)) return bad(`${name} must be a number`)
    return cut(request, Math.max(0, number - first) * (more.size ?? 3), write, more)
  }
}

/** The number of records before the page, or the number of its first record. */
export function byOffset(
  name: string,
  first: number,
  write: WriteCut,
  more: Cutting = {},
): ApiShape['serve'] {
  return (request) => {
    const number = Number(read(request, name) ?? first)
    if (!Number.isInteger(number)) return bad(`${name} must be a number`)
    return cut(request, Math.max(0, number - first), write, more)
  }
}

/** The next page starts after (or before) the ID of the last record. */
export function byLast(name: string, write: WriteCut, more: Cutting = {}): ApiShape['serve'] {
  return (request) => {
    const id = read(request, name)
    if (id === undefined || id === null || id === '') return cut(request, 0, write, more)
    const start = Number(/^r(\d+)$/.exec(typeof id === 'string' ? id : '')?.[1])
    return Number.isNaN(start) ? bad(`no such id ${JSON.stringify(id)}`) : cut(request, start, write, more)
  }
}

export const withHeaders = (headers: Record<string, string | number | null | false>, body: unknown) =>
  new WithHeaders(headers, body)
