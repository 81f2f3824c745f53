import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { AppError, docUrlOf } from '../../../shared/contract/base/errors.ts'
import { closest, SAID, say } from '../../../shared/contract/base/message.ts'
import type { Log } from '../../services/kit/ports.ts'
import { type Heading, REQUEST_ID } from '../gates/heading.ts'
import { pathOf } from '../gates/paths.ts'
import { ClientGone } from './client-gone.ts'
import { wantsSaid } from './said.ts'
import { sendJson } from './send.ts'

/** Handles errors inside Express, where the response already has the common headers. */
export function answerErrors(log: Log): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) => answerError(log, error, request, response)
}

/** The only place where an error becomes a response. */
export function answerError(
  log: Log,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  heading?: Heading,
  isForStrangers = isWebhook(request),
): void {
  if (error instanceof ClientGone || response.destroyed) return
  const answer = toAppError(error)
  // Once the response has begun, its caller only sees a closed connection.
  if (answer.code === 'internal' || response.headersSent) {
    const requestId = heading?.[REQUEST_ID] ?? response.getHeader(REQUEST_ID)
    log.error({ err: error, requestId, method: request.method }, 'A request failed')
  }
  if (response.headersSent) {
    // Part of the response has been sent, so closing the connection is the only way to signal that it is incomplete.
    response.destroy()
    return
  }
  const { status, headers, code } = answer
  const hasPage = !isForStrangers && code !== 'biz_logic'
  const body = { ...answer.toEnvelope(), ...(hasPage && { doc_url: docUrlOf(code) }) }
  const text = JSON.stringify(
    wantsSaid(request) ? { ...body, said: answer[SAID], said_fields: answer.saidFields } : body,
  )
  sendJson(request, response, { status, headers, text }, heading)
}

/** Webhooks are called by senders that know nothing about Millrace. */
const isWebhook = ({ url = '' }: IncomingMessage) => pathOf(url).startsWith('/v1/flow-webhook/')

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  // The router's own error for an undecodable `%` in the path.
  if (error instanceof URIError && 'status' in error)
    return new AppError('validation', say("The path isn't correctly percent-encoded"))
  return new AppError('internal', say('Internal error; see the log for the request ID in X-Request-Id'))
}

export const notFound: RequestHandler = async (request) => {
  const path = pathOf(request.originalUrl).slice(0, 200)
  const near = await nearRoute(path)
  throw new AppError(
    'not_found',
    near === null
      ? say('Not found: {{path}}', { path })
      : say('Not found: {{path}}; did you mean {{near}}?', { path, near }),
  )
}

/** The same path with the noun that was probably meant: /v1/flow/42 becomes /v1/flows/42. */
async function nearRoute(path: string): Promise<string | null> {
  const [, version, noun, ...rest] = path.split('/')
  if (version !== 'v1' || noun === undefined) return null
  // Loaded only now, because starting doesn't need all of them.
  const { ROUTES } = await import('../../../shared/contract/routes.ts')
  const nouns = new Set(ROUTES.map((route) => route.path.split('/')[2] ?? ''))
  const near = nouns.has(noun) ? undefined : closest(noun, nouns)
  return near === undefined ? null : ['/v1', near, ...rest].join('/')
}
