import { ACT_AS_HEADER, SAID_HEADER } from '../../shared/contract/base/conventions.ts'
import type {
  Route,
  RouteRequest,
  RouteResult,
  StreamEvent,
  StreamRoute,
} from '../../shared/contract/base/route.ts'
import { type Entity, isCovered, type Operation } from '../../shared/contract/base/scopes.ts'
import type { PageSession } from '../../shared/contract/page-sessions.ts'
import { formatJson, parseJson } from '../lib/json.ts'
import { createDeletions, type Deletions } from './deletions.ts'
import { fieldsOf, fromEnvelope, isAbort, unreachable } from './failure.ts'
import { createLive, type Live } from './live.ts'
import type { Session } from './session.ts'

/** One page of a list and how to get the next. */
interface Listing<T> {
  readonly items: T
  /** The total over all pages; null if the server doesn't count. */
  readonly total: number | null
  /** The `after` of the next page; null on the last one. */
  readonly after: string | null
}

/**
 * The page talks to Millrace only through this. Every failure is an AppError, except an abort, which is passed on
 * unchanged.
 */
export interface Api {
  call<R extends Route>(route: R, request?: RouteRequest<R>, signal?: AbortSignal): Promise<RouteResult<R>>
  list<R extends Route>(
    route: R,
    request?: RouteRequest<R>,
    signal?: AbortSignal,
  ): Promise<Listing<RouteResult<R>>>
  stream<R extends StreamRoute>(
    route: R,
    request?: RouteRequest<R>,
    signal?: AbortSignal,
  ): AsyncGenerator<StreamEvent<R>>
  /**
   * Sends a request that must survive the page being closed before the response arrives. Returns false if the browser
   * doesn't allow that for a request of this size; it was then sent as a normal request, which succeeds only if the
   * page stays open.
   */
  callLast<R extends Route>(route: R, request: RouteRequest<R>): boolean
  /** Uploads a file as the body, with its own content type. */
  upload<R extends Route>(
    route: R,
    request: Omit<RouteRequest<R>, 'body'> & { readonly file: Blob },
  ): Promise<RouteResult<R>>
  /** The bytes that a route returns. */
  download<R extends Route>(route: R, request: RouteRequest<R>): Promise<Blob>
  readonly live: Live
  readonly deletions: Deletions
  /** The same API, called as another user, to show what they can see. */
  as(userId: string): Calls
  /** The user the page acts as; null means the user of this machine. */
  actingAs(): string | null
  /** Reloads the page as that user, since everything on it was loaded as another user. */
  actAs(userId: string | null): void
  /** Loads the page from another URL of Millrace. */
  moveTo(url: string): void
  /**
   * The session of a page opened from elsewhere; null on the computer that runs Millrace, where everything is allowed.
   */
  readonly remote: PageSession | null
  /** Whether the page can do this to that kind of record. */
  may(entity: Entity, operation: Operation): boolean
}

type Calls = Omit<Api, 'live' | 'deletions' | 'as' | 'actingAs' | 'actAs' | 'moveTo' | 'remote' | 'may'>

export interface ApiOptions {
  /** Without a trailing slash: `http://127.0.0.1:4747`. */
  readonly baseUrl: string
  readonly session: Session
  readonly fetch?: typeof fetch
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

interface AnyRequest {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

export function createApi(options: ApiOptions): Api {
  const { session, wait } = options
  const calls = createCalls(options, () => session.actingAs())
  const deletions = createDeletions(calls)
  const remote = session.remote ?? null
  return {
    ...calls,
    async call(route, request, signal) {
      // A new record may have the name of one that was just deleted.
      if (route.method === 'POST') await deletions.settle(route.path)
      return await calls.call(route, request, signal)
    },
    deletions,
    live: createLive(calls.stream, wait),
    as: (userId) => createCalls(options, () => userId),
    actingAs: () => session.actingAs(),
    actAs: (userId) => session.actAs(userId),
    moveTo: (url) => session.moveTo(url),
    remote,
    may: (entity, operation) => remote === null || isCovered(remote.scopes, entity, operation),
  }
}

function createCalls(
  { baseUrl, session, fetch: send = fetch }: ApiOptions,
  actingAs: () => string | null,
): Calls {
  // Used for the last requests of a page that is being closed, which has no time to get a new token.
  let lastBearer: string | null = null
  // A page from elsewhere sends its cookie. On this computer there is none, and cookies of other programs must not be
  // sent.
  const as = { credentials: session.remote === undefined ? 'omit' : 'same-origin' } as const

  async function exchange(
    route: Route | StreamRoute,
    request: AnyRequest,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const attempt = async (bearer: string | null) => {
      lastBearer = bearer
      try {
        return await send(
          baseUrl + addressOf(route, request),
          requestInit(route, request, { ...as, bearer, userId: actingAs() }, signal),
        )
      } catch (error) {
        throw isAbort(error) ? error : unreachable(baseUrl, error)
      }
    }
    const bearer = await session.bearer()
    const response = await attempt(bearer)
    if (response.status !== 401) return response
    const renewed = await session.renew(bearer)
    return renewed === null || renewed === bearer ? response : await attempt(renewed)
  }

  async function answered(...call: Parameters<typeof exchange>): Promise<Response> {
    const response = await exchange(...call)
    if (response.ok) return response
    const error = fromEnvelope(response.status, await response.text(), response.headers)
    // The user the page acted as was deleted.
    if (Object.hasOwn(fieldsOf(error), ACT_AS_HEADER) && session.actingAs() !== null) session.actAs(null)
    throw error
  }

  const stream: Calls['stream'] = async function* (route, request = {}, signal) {
    const response = await answered(route, request, signal)
    if (response.body === null) return
    try {
      for await (const line of readLines(response.body)) yield readJson(line)
    } catch (error) {
      throw isAbort(error) ? error : unreachable(baseUrl, error)
    }
  }

  return {
    async call(route, request = {}, signal) {
      const response = await answered(route, request, signal)
      return readJson(await response.text())
    },
    async list(route, request = {}, signal) {
      const response = await answered(route, request, signal)
      const total = response.headers.get('x-total-count')
      return {
        items: readJson(await response.text()),
        total: total === null ? null : Number(total),
        after: nextKey(response.headers.get('link')),
      }
    },
    stream,
    callLast(route, request) {
      const init = requestInit(route, request, { ...as, bearer: lastBearer, userId: actingAs() }, undefined)
      const keepalive = new Blob([init.body as string]).size <= LAST_CALL_BYTES
      void send(baseUrl + addressOf(route, request), { ...init, keepalive }).catch(() => undefined)
      return keepalive
    },
    async upload(route, { file, ...request }) {
      const response = await answered(route, { ...request, body: file }, undefined)
      return readJson(await response.text())
    },
    async download(route, request) {
      return await (await answered(route, request, undefined)).blob()
    },
  }
}

/** Browsers send at most 64 KiB from pages that are being closed, over all requests together. */
const LAST_CALL_BYTES = 60 * 1_024

/** `/v1/flows/:id` with its parameters and query: `/v1/flows/7f…?per_page=20&filter=a&filter=b`. */
function addressOf(route: Route | StreamRoute, { params, query }: AnyRequest): string {
  const values = (params ?? {}) as Record<string, string | number>
  const path = route.path.replace(/:([a-z_]+)/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  )
  const search = new URLSearchParams(
    Object.entries(query ?? {}).flatMap(([name, value]) =>
      [value]
        .flat()
        .filter((item) => item !== undefined && item !== null)
        .map((item): [string, string] => [name, String(item)]),
    ),
  ).toString()
  return search === '' ? path : `${path}?${search}`
}

interface Acting {
  readonly bearer: string | null
  readonly userId: string | null
  readonly credentials: RequestCredentials
}

function requestInit(
  { method }: Route | StreamRoute,
  { body }: AnyRequest,
  { bearer, userId, credentials }: Acting,
  signal: AbortSignal | undefined,
): RequestInit {
  return {
    method,
    headers: {
      [SAID_HEADER]: '1',
      ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }),
      ...(userId === null ? {} : { [ACT_AS_HEADER]: userId }),
      ...(body === undefined ? {} : { 'Content-Type': contentType(body) }),
    },
    body: body === undefined ? null : body instanceof Blob ? body : formatJson(body, 0),
    signal: signal ?? null,
    credentials,
    cache: 'no-store',
  }
}

function contentType(body: unknown): string {
  return body instanceof Blob ? body.type || 'application/octet-stream' : 'application/json'
}

/** `never` is assignable to every result, and the types of a call guarantee what the server returns. */
function readJson(text: string): never {
  return (text === '' ? undefined : parseJson(text)) as never
}

/** `</v1/flow-runs?after=x>; rel="next"` → `x`. */
function nextKey(link: string | null): string | null {
  const next = /<([^<>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1]
  return next === undefined ? null : new URL(next, 'http://localhost').searchParams.get('after')
}

/** The lines of a body as they arrive. Leaving the loop early cancels the body, which aborts the request. */
async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      yield* lines.filter((line) => line.trim() !== '')
    }
    if (rest.trim() !== '') yield rest
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
