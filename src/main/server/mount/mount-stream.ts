import type { StreamAnswer, StreamRoute } from '../../../shared/contract/base/route.ts'
import type { App } from './app.ts'
import { ClientGone } from '../answer/client-gone.ts'
import { drained } from '../answer/piecewise.ts'
import { writerFor } from '../answer/said.ts'
import { mountAt } from './mount-route.ts'
import { createCallReader, type RouteCall } from './receive.ts'
import { discardRest, sendAnswer } from '../answer/send.ts'

/** Yields the events as they happen and stops when the signal aborts. */
export type StreamHandler<R extends StreamRoute> = (
  call: RouteCall<R> & { readonly signal: AbortSignal },
) => AsyncIterable<StreamAnswer<R>>

/**
 * Mounts a declared stream of one JSON value per line, sent as it happens, but no faster than the caller reads. An
 * error before the first line is a normal error response; later the connection is closed.
 */
export function mountStream<const R extends StreamRoute>(
  app: App,
  route: R,
  handler: StreamHandler<R>,
): void {
  const receive = createCallReader(app, route)
  mountAt(app, route, async (request, response) => {
    const call = await receive(request, response)
    if (request.method === 'HEAD') {
      sendAnswer(request, response, { status: 200, headers: STREAM_HEADERS, body: null })
      return
    }
    if (response.destroyed) throw new ClientGone()
    const left = new AbortController()
    response.once('close', () => left.abort(new ClientGone()))
    const signal = AbortSignal.any([left.signal, app.stopping])
    const write = writerFor(app.services.json, request)
    for await (const event of handler({ ...call, signal })) {
      if (left.signal.aborted) break
      if (!response.headersSent) response.writeHead(200, STREAM_HEADERS)
      if (!response.write(`${write(event)}\n`)) await drained(response)
    }
    if (!response.headersSent) response.writeHead(200, STREAM_HEADERS)
    response.end()
    discardRest(request)
  })
}

const STREAM_HEADERS = { 'content-type': 'application/x-ndjson; charset=utf-8' }
