import { say, type Said } from '../../../shared/contract/base/message.ts'
import { unescape } from 'node:querystring'
import type { Clock, HeaderLine, Identity, OutgoingRequest, OutgoingResponse, SendOptions } from '../ports.ts'
import { type Agents, type AgentsOptions, createAgents, type NetworkReach } from './agents.ts'
import type { BodyLimits } from './body-reader.ts'
import { exchange, type RawResponse } from './exchange.ts'
import { headerValue, isHeaderName, isHeaderValue, withoutHeaders } from './headers.ts'
import { type Hop, nextHop } from './redirects.ts'
import { cancelled, placeOf, RequestError } from './request-error.ts'

export interface SendRequestOptions {
  readonly clock: Clock
  readonly userAgent: string
  /** Ports that Millrace listens on: refused on loopback unless a call is `toOwnApi`. */
  readonly ownPorts: () => ReadonlySet<number>
  readonly timeouts?: Partial<Timeouts>
  readonly limits?: Partial<BodyLimits>
  readonly lookup?: AgentsOptions['lookup']
  readonly classify?: AgentsOptions['classify']
}

interface Timeouts {
  readonly connectMs: number
  /** The limit from sending the request to receiving the response headers. */
  readonly headersMs: number
  /** The limit between two chunks of a response. */
  readonly silenceMs: number
  /** The limit for the whole call, including redirects. */
  readonly wholeMs: number
}

export type Sender = ReturnType<typeof createSendRequest>

const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  headersMs: 60_000,
  silenceMs: 30_000,
  wholeMs: 300_000,
}

const DEFAULT_BODY_LIMITS: BodyLimits = {
  wireBytes: 20_000_000,
  decodedBytes: 50_000_000,
  ratio: 200,
  ratioFromBytes: 10_000_000,
}

const MAX_REDIRECTS = 20

/** Creates the function through which all calls of flows, connectors and the tester leave Millrace. */
export function createSendRequest({
  clock,
  userAgent,
  ownPorts,
  lookup,
  classify,
  ...options
}: SendRequestOptions) {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts }
  const limits = { ...DEFAULT_BODY_LIMITS, ...options.limits }
  const agents = createAgents({
    connectTimeoutMs: timeouts.connectMs,
    ownPorts,
    lookup,
    classify,
  })

  async function sendRequest(request: OutgoingRequest, options: SendOptions = {}): Promise<OutgoingResponse> {
    const [original, address] = prepare(request)
    const trusted = new Set(options.trustedOrigins).add(address.origin)
    const stop = stopAfter(options.timeoutMs ?? timeouts.wholeMs, options.signal, original)
    const startedAt = clock.monotonic()
    let hop: Hop = { request: original, keepsBody: true }
    let reach = firstReach(options)
    try {
      for (let redirects = 0; ; redirects++) {
        requireOrigin(hop.request.url, options.onlyOrigins)
        if (reach === 'own') requireApiPath(hop.request.url, ownPorts())
        const identity = options.identity && identityFor(hop.request.url, options.identity, trusted)
        // Doesn't await an agent that is already open, so that the request is sent before this returns.
        const agent =
          agents.openFor(reach, identity?.certificate) ??
          (await agents.agentFor(reach, identity?.certificate))
        const signed = identity?.sign === undefined ? hop.request : await identity.sign(hop.request)
        const answer = await observed(signed, options, (sent) =>
          exchange(agent, sent, signed === original ? address : new URL(sent.url), {
            headersTimeoutMs: timeouts.headersMs,
            silenceTimeoutMs: timeouts.silenceMs,
            limits: options.maxBodyBytes === undefined ? limits : limitsWithin(limits, options.maxBodyBytes),
            stop,
          }),
        )
        const next = nextHop(hop, answer, original, trusted)
        if (!next) return { ...answer, url: hop.request.url, durationMs: clock.monotonic() - startedAt }
        if (redirects >= (options.maxRedirects ?? MAX_REDIRECTS)) throw tooManyRedirects(original, redirects)
        reach = reachAfter(hop, next, reach, agents)
        hop = next
      }
    } finally {
      stop.release()
    }
  }

  /** Sends with Millrace's own headers on every hop, and reports each request and response. */
  async function observed(
    request: OutgoingRequest,
    { onExchange, attempt = 1 }: SendOptions,
    send: (request: OutgoingRequest) => Promise<RawResponse>,
  ): Promise<RawResponse> {
    const sent = { ...request, headers: withDefaults(request.headers, userAgent) }
    if (!onExchange) return send(sent)
    const startedAt = clock.now()
    const before = clock.monotonic()
    const report = (response: RawResponse | null, error: string | null) =>
      onExchange({
        request: sent,
        attempt,
        startedAt,
        durationMs: clock.monotonic() - before,
        response,
        error,
      })
    try {
      const answer = await send(sent)
      report(answer, null)
      return answer
    } catch (error) {
      report(null, error instanceof Error ? error.message : String(error))
      throw error
    }
  }

  return { sendRequest /** Closes all connections; calls in progress fail. */, close: () => agents.close() }
}

/**
 * Rejects requests that undici would reject with a less helpful error, and moves credentials from the URL to a
 * header.
 */
function prepare(request: OutgoingRequest): readonly [OutgoingRequest, URL] {
  const url = URL.parse(request.url)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw unsendable(
      say('{{method}} "{{value}}": a URL must begin with http:// or https://', {
        method: request.method,
        value: shorten(request.url),
      }),
    )
  }
  if (!isHeaderName(request.method))
    throw unsendable(say('"{{value}}" isn\'t an HTTP method', { value: shorten(request.method) }))
  for (const [name, value] of request.headers) {
    if (!isHeaderName(name))
      throw unsendable(say('"{{value}}" isn\'t a valid header name', { value: shorten(name) }))
    if (!isHeaderValue(value)) {
      throw unsendable(
        say('The header "{{name}}" contains a line break or another control character; remove it', { name }),
      )
    }
  }
  const headers = withoutHeaders(request.headers, CONNECTION_HEADERS)
  if ((url.username !== '' || url.password !== '') && headerValue(headers, 'authorization') === null) {
    const login = `${unescape(url.username)}:${unescape(url.password)}`
    headers.push(['Authorization', `Basic ${Buffer.from(login, 'utf8').toString('base64')}`])
  }
  return [{ ...request, method: request.method.toUpperCase(), url: bareAddress(url), headers }, url]
}

/** Setting a part of a URL parses it again, so only parts that are present are removed. */
function bareAddress(url: URL): string {
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  if (url.hash !== '') url.hash = ''
  return url.href
}

function unsendable(message: Said): RequestError {
  return new RequestError('http_error', message, { delivered: false })
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Headers that belong to the connection, not to the message. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function withDefaults(headers: readonly HeaderLine[], userAgent: string): HeaderLine[] {
  const all = [...headers]
  if (headerValue(headers, 'accept') === null) all.push(['Accept', '*/*'])
  if (headerValue(headers, 'accept-encoding') === null) all.push(['Accept-Encoding', 'gzip, deflate, br'])
  if (headerValue(headers, 'user-agent') === null) all.push(['User-Agent', userAgent])
  return all
}

/** Only `/v1` of Millrace's own API can be called, because flows have no business with the app and its session. */
function requireApiPath(url: string, ownPorts: ReadonlySet<number>): void {
  const { port, protocol, pathname } = new URL(url)
  if (!ownPorts.has(Number(port) || (protocol === 'https:' ? 443 : 80))) return
  if (!pathname.startsWith('/v1/'))
    throw unsendable(say("{{pathname}} isn't part of Millrace's API, which begins with /v1", { pathname }))
}

function firstReach({ toOwnApi, nearbyOnly, publicOnly }: SendOptions): NetworkReach {
  if (toOwnApi) return 'own'
  return nearbyOnly ? 'nearby' : publicOnly ? 'internet' : 'local'
}

function identityFor(url: string, identity: Identity, trusted: ReadonlySet<string>): Identity | undefined {
  return trusted.has(new URL(url).origin) ? identity : undefined
}

function requireOrigin(url: string, only: ReadonlySet<string> | undefined): void {
  const { origin } = new URL(url)
  if (only !== undefined && !only.has(origin))
    throw unsendable(
      say("{{origin}} can't be called from here, only {{names}}", { origin, names: [...only].join(', ') }),
    )
}

function reachAfter(from: Hop, to: Hop, reach: NetworkReach, agents: Agents): NetworkReach {
  const origin = new URL(from.request.url).origin
  if (reach === 'nearby' || reach === 'internet') return reach
  if (agents.isPublic(origin)) return 'public'
  return new URL(to.request.url).origin === origin || reach === 'public' ? reach : 'local'
}

function limitsWithin(limits: BodyLimits, most: number): BodyLimits {
  const within = (bytes: number) => Math.min(bytes, most)
  return { ...limits, wireBytes: within(limits.wireBytes), decodedBytes: within(limits.decodedBytes) }
}

function tooManyRedirects(request: OutgoingRequest, followed: number): RequestError {
  return new RequestError(
    'too_many_redirects',
    say('{{method}} {{url}} redirected more than {{followed}} times; does it redirect to itself?', {
      method: request.method,
      url: placeOf(request.url),
      followed,
    }),
  )
}

/**
 * Combines the caller's cancellation and the time limit. An AbortController would be the most expensive part of a call.
 */
function stopAfter(timeoutMs: number, signal: AbortSignal | undefined, { method, url }: OutgoingRequest) {
  let reason: RequestError | null = null
  let listener: ((reason: RequestError) => void) | null = null
  const stop = (error: RequestError) => {
    reason ??= error
    listener?.(reason)
  }
  const onAbort = () => signal && stop(cancelled(signal))
  const timer = setTimeout(() => {
    const message = say('{{place}} took longer than {{seconds}} s', {
      place: `${method} ${placeOf(url)}`,
      seconds: Math.round(timeoutMs) / 1000,
    })
    stop(new RequestError('timeout', message, { transient: true }))
  }, timeoutMs)
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return {
    /** Sets the only listener, which is called immediately if already stopped. */
    onStop(next: ((reason: RequestError) => void) | null) {
      listener = next
      if (reason !== null) next?.(reason)
    },
    release() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
