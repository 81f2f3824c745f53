import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request, Response } from 'express'

/** Sends a text of JSON. Written past Express's `json()`, which would hash it for an ETag and guess its type. */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
  discardRest(request)
}

export function sendNothing(
  request: IncomingMessage,
  response: ServerResponse,
  status: 204 | 304 = 204,
): void {
  response.writeHead(status)
  response.end()
  discardRest(request)
}

/** What a caller may still send of a body that nobody reads before the line is cut. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024

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

/** An answer before it is sent. */
export interface PreparedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; null where there is none. */
  readonly text: string | null
}

export function sendAnswer(
  request: Request,
  response: Response,
  { status, headers, text }: PreparedAnswer,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (text === null) sendNothing(request, response, status === 304 ? 304 : 204)
  else sendJson(request, response, status, text)
}
