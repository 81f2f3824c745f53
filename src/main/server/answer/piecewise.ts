/** Responses that are written piece by piece, as fast as the caller reads them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type JsonAnswer, sendJson } from './send.ts'

/** In characters. A shorter response is sent in one piece, with its length and entity tag. */
const MOST_AT_ONCE = 4 * 1024 * 1024

/**
 * Reads pieces up to the limit, so that most errors can still be sent as the response.
 *
 * @returns all of it, or its beginning and the rest
 */
export async function readBeginning(
  pieces: AsyncIterable<string>,
): Promise<{ readonly text: string; readonly rest?: AsyncIterator<string> }> {
  const iterator = pieces[Symbol.asyncIterator]()
  const begun: string[] = []
  for (let length = 0; length <= MOST_AT_ONCE;) {
    const next = await iterator.next()
    if (next.done === true) return { text: begun.join('') }
    begun.push(next.value)
    length += next.value.length
  }
  return { text: begun.join(''), rest: iterator }
}

/** @throws Error if a later piece can't be read; because the response has begun, its connection must then be closed */
export async function sendWhole(
  request: IncomingMessage,
  response: ServerResponse,
  answer: JsonAnswer,
): Promise<void> {
  const { status, headers, text, rest } = answer
  if (rest === undefined) return sendJson(request, response, answer)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  if (request.method === 'HEAD') {
    response.end()
    await rest.return?.()
    return
  }
  if (!response.write(text ?? '')) await drained(response)
  for await (const piece of { [Symbol.asyncIterator]: () => rest }) {
    if (response.destroyed) break
    if (!response.write(piece)) await drained(response)
  }
  response.end()
}

/** Resolves once the caller has read all written data, or has left. */
export async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  response.once('drain', resolve).once('close', resolve)
  await promise
  response.off('drain', resolve).off('close', resolve)
}
