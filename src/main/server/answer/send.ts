import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Heading } from '../gates/heading.ts'

/** An answer that is sent in one go. */
export interface PreparedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null for an answer without a body. */
  readonly body: string | null
}

/**
 * Sends an answer, past Express, which would hash it for an ETag and guess its type.
 *
 * @param heading absent if Express has been given it. Setting these headers one by one takes several times as long as
 *   writing them together with the answer's own, which therefore have lower-case names where one replaces another.
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
  // Node writes the head of an answer together with a text in the text's encoding, which would encode it a second
  // time; beside bytes it goes out as it is.
  const content = body === null || isAscii(headers) ? body : Buffer.from(body)
  if (!isStillSending(request)) response.end(content ?? undefined)
  else endWithRequest(request, response, content)
}

/** A caller that holds its body back until it is asked for it sends none to an answer. */
function isStillSending({ complete, headers, httpVersionMinor }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return !complete && hasBody && (headers.expect === undefined || httpVersionMinor === 0)
}

/**
 * Sends the answer now and ends it once the caller has sent its body: many callers read nothing before that, and the end
 * of an answer to `Connection: close` closes the connection, by which they would lose it.
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

/** The answer of a route. */
export interface JsonAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; null for an answer without a body. */
  readonly text: string | null
}

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, text }: JsonAnswer,
  heading?: Heading,
): void {
  const all = text === null ? headers : { ...headers, 'content-type': 'application/json; charset=utf-8' }
  sendAnswer(request, response, { status, headers: all, body: text }, heading)
}

/** What a caller may still send of a body that nobody reads before the line is cut. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/**
 * Lets a caller that was answered before its body was read finish sending, within limits: closing at once would reset
 * the connection, and the answer could be lost on its way.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return
  let left = MAX_DISCARDED_BYTES
  request.on('error', () => {}) // The caller may leave meanwhile; it has its answer.
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
}
