import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Heading } from '../gates/heading.ts'

/** A response that is sent in one piece. */
export interface PreparedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null for a response without a body. */
  readonly body: string | null
}

/**
 * Sends a response, bypassing Express, which would hash it for an ETag and guess its type.
 *
 * @param heading absent if Express already has it. Setting these headers one by one takes several times as long as
 *   writing them together with the response's own, whose names must be in lower case to replace one of them.
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: PreparedAnswer,
  heading?: Heading,
): void {
  const all: Record<string, string | number> = { ...heading, ...headers }
  if (body !== null) all['content-length'] = Buffer.byteLength(body)
  response.writeHead(status, all)
  // Together with a string body, Node would write the headers in the string's encoding, which would encode them a
  // second time; with bytes they stay unchanged.
  const content = body === null || isAscii(headers) ? body : Buffer.from(body)
  if (!isStillSending(request)) response.end(content ?? undefined)
  else endWithRequest(request, response, content)
}

/** Sends a response from another server, whose headers alternate names and values; those of `own` replace them. */
export function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  {
    status,
    headers: own,
    program,
  }: Pick<PreparedAnswer, 'status' | 'headers'> & {
    readonly program: { readonly headers: readonly string[]; readonly body: Readable }
  },
  heading: Heading = {},
): void {
  const given = program.headers.filter(
    (_, at) => own[(program.headers[at & ~1] ?? '').toLowerCase()] === undefined,
  )
  const names = new Set(given.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()))
  const others = Object.entries({ ...heading, ...own }).filter(([name]) => !names.has(name))
  response.writeHead(status, [...given, ...others.flat()])
  pipeline(program.body, response, { end: false }).then(
    () => {
      if (!isStillSending(request)) return response.end()
      request.once('close', () => response.end())
      discardRest(request)
      return response
    },
    () => response.destroy(),
  )
}

/** A caller that waits for `100 Continue` doesn't send its body once it has a response. */
function isStillSending({ complete, headers, httpVersionMinor }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return !complete && hasBody && (headers.expect === undefined || httpVersionMinor === 0)
}

/**
 * Sends the response now, but ends it only once the caller has sent its body: many callers don't read before that, and
 * with `Connection: close` the end of the response closes the connection, which would lose it.
 */
function endWithRequest(
  request: IncomingMessage,
  response: ServerResponse,
  content: string | Buffer | null,
): void {
  if (content === null) response.flushHeaders()
  else response.write(content)
  request.once('close', () => response.end())
  discardRest(request)
}

function isAscii(headers: Readonly<Record<string, string>>): boolean {
  for (const name in headers) if (/[^\t -~]/.test(headers[name] ?? '')) return false
  return true
}

/** A route's response. */
export interface JsonAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON, unless the headers give another content type; null for a response without a body. */
  readonly text: string | null
  /** The rest of the text; absent if it is complete. */
  readonly rest?: AsyncIterator<string>
}

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, text }: JsonAnswer,
  heading?: Heading,
): void {
  const all = text === null ? headers : { 'content-type': 'application/json; charset=utf-8', ...headers }
  sendAnswer(request, response, { status, headers: all, body: text }, heading)
}

/** Size of an unread body that a caller can still send before the connection is closed. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/**
 * Lets a caller that got its response before its body was read finish sending, within limits: closing at once would
 * reset the connection, and the response could be lost.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return
  let left = MAX_DISCARDED_BYTES
  request.on('error', () => {}) // The caller can leave now; it has its response.
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
}
