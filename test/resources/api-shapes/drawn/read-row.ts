import {
  type ApiShape,
  byLast,
  byOffset,
  byPage,
  byToken,
  type Cut,
  type Cutting,
  withHeaders,
} from '../shape.ts'

/**
 * One API, drawn at random from public descriptions: how one of its lists is requested, and what it returns. The first
 * call sends what its description requires, a page size, and the parameters that the description gives a default for.
 */
export interface DrawnApi {
  readonly name: string
  readonly call: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
  /**
   * What the next page is requested with: `page page 1`, `offset skip 0`, `token cursor`, `token body.cursor`, `last
   * starting_after`.
   */
  readonly by: string
  /** The body; strings that begin with `@` stand for values of the page, listed in `VALUES`. */
  readonly answer: unknown
  /** Headers of the response, in the same form. */
  readonly sends?: Readonly<Record<string, string>>
}

const USUAL: Cutting = { size: 20, total: 45 }

export function shapeOf({ name, call, headers, body, by, answer, sends }: DrawnApi): ApiShape {
  const [kind = '', parameter = '', first = '0'] = by.split(' ')
  const write = (cut: Cut) => {
    const next = nextValue(kind, Number(first), cut)
    const filled = fill(answer, { cut, parameter, next })
    if (sends === undefined) return filled
    return withHeaders(
      fill(sends, { cut, parameter, next }) as Record<string, string | number | null | false>,
      filled,
    )
  }
  const serve = {
    page: () => byPage(parameter, Number(first), write, USUAL),
    offset: () => byOffset(parameter, Number(first), write, USUAL),
    token: () => byToken(parameter, write, USUAL),
    last: () => byLast(parameter, write, USUAL),
  }[kind]
  if (serve === undefined) throw new Error(`${name}: no way to request pages by "${by}"`)
  return {
    name,
    call,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
    total: USUAL.total ?? 0,
    serve: serve(),
  }
}

/** The same API, called without the parameter that says which page is requested, but with a page size. */
export function withoutPosition({ by, call, body, headers, ...rest }: DrawnApi): DrawnApi {
  const [, parameter = ''] = by.split(' ')
  const [method = '', target = ''] = call.split(' ')
  const [path = '', query = ''] = target.split('?')
  const kept = query.split('&').filter((pair) => pair !== '' && pair.split('=')[0] !== parameter)
  return {
    ...rest,
    by,
    call: `${method} ${path}${kept.length === 0 ? '' : `?${kept.join('&')}`}`,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: without(body, parameter.replace(/^body\./, '').split('.')) }),
  }
}

function without(
  body: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      if (name !== key) return [[name, value]]
      return rest.length > 0 && isRecord(value) ? [[name, without(value, rest)]] : []
    }),
  )
}

interface Filling {
  readonly cut: Cut
  readonly parameter: string
  /** The value of the parameter in the next call; null on the last page. */
  readonly next: string | number | null
}

function nextValue(kind: string, first: number, cut: Cut): string | number | null {
  if (!cut.more) return null
  if (kind === 'page') return cut.page + first
  if (kind === 'offset') return cut.start + cut.size + first
  return kind === 'token' ? cut.next : (cut.last?.id ?? null)
}

/** A key with this value is left out. */
const LEFT_OUT = Symbol('left out')

/** `@rows sku` names the records' ID, `@link? x` leaves the key out on the last page. */
const VALUES: Readonly<Record<string, (filling: Filling, argument: string) => unknown>> = {
  rows: ({ cut }, id) => (id === '' ? cut.rows : cut.rows.map((row) => ({ [id]: row.id, name: row.name }))),
  names: ({ cut }) => cut.rows.map(({ id }) => id),
  wrapped: ({ cut }, key) => cut.rows.map((row) => ({ [key]: row })),
  total: ({ cut }) => cut.total,
  totaltext: ({ cut }) => String(cut.total),
  count: ({ cut }) => cut.rows.length,
  size: ({ cut }) => cut.size,
  page: ({ cut }) => cut.page,
  pagetext: ({ cut }) => String(cut.page),
  page0: ({ cut }) => cut.page - 1,
  pages: ({ cut }) => cut.pages,
  pagestext: ({ cut }) => String(cut.pages),
  offset: ({ cut }) => cut.start,
  offset1: ({ cut }) => cut.start + 1,
  end: ({ cut }) => cut.start + cut.rows.length,
  more: ({ cut }) => cut.more,
  last: ({ cut }) => !cut.more,
  first: ({ cut }) => cut.start === 0,
  hasprevious: ({ cut }) => cut.start > 0,
  next: ({ next }) => next,
  nextempty: ({ next }) => next ?? '',
  nextor: ({ next }, otherwise) => next ?? Number(otherwise),
  nexttext: ({ next }) => (next === null ? null : String(next)),
  lastid: ({ cut }) => cut.last?.id ?? null,
  /** A cursor that is present on the last page, too. */
  always: ({ cut }) => cut.next ?? 'ended',
  link: ({ cut, parameter, next }) => (next === null ? null : cut.link({ [parameter]: next })),
  path: ({ cut, parameter, next }) =>
    next === null ? null : cut.link({ [parameter]: next }).slice(cut.base.length),
  /** Relative to the host, so it leaves out the base path. */
  rootpath: ({ parameter, next }) => (next === null ? null : `/?${parameter}=${next}`),
  contentrange: ({ cut }) => `items ${cut.start}-${cut.start + cut.rows.length - 1}/${cut.total}`,
  self: ({ cut }) => cut.link({}),
  linkheader: ({ cut, parameter, next }) =>
    next === null ? null : `<${cut.link({ [parameter]: next })}>; rel="next"`,
}

function fill(value: unknown, filling: Filling): unknown {
  if (typeof value === 'string') return valueOf(value, filling)
  if (Array.isArray(value)) {
    // A list of links has no item for a page that doesn't exist.
    return value
      .map((item) => fill(item, filling))
      .filter((item) => item !== null && !(isRecord(item) && Object.values(item).includes(LEFT_OUT)))
  }
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, part]) => [key, fill(part, filling)] as const)
      .filter(([, part]) => part !== LEFT_OUT),
  )
}

function valueOf(text: string, filling: Filling): unknown {
  const [, name, optional, argument = ''] = /^@(\w+)(\?)?(?: (.+))?$/.exec(text) ?? []
  if (name === undefined) return text
  const read = VALUES[name]
  if (read === undefined) throw new Error(`no value "${text}"`)
  const value = read(filling, argument)
  return optional === '?' && value === null ? LEFT_OUT : value
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
