import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Log } from '../../services/kit/ports.ts'
import { type Heading, REQUEST_ID } from '../gates/heading.ts'
import { pathOf } from '../gates/paths.ts'
import { ClientGone } from './client-gone.ts'
import { sendJson } from './send.ts'

/** Errors of what runs inside Express, which has the heading already. */
export function answerErrors(log: Log): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (error: unknown, request, response, _next) => answerError(log, error, request, response)
}

/** The one place where an error becomes an answer. */
export function answerError(
  log: Log,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  heading?: Heading,
): void {
  if (error instanceof ClientGone || response.destroyed) return
  const answer = toAppError(error)
  if (answer.code === 'internal') {
    const requestId = heading?.[REQUEST_ID] ?? response.getHeader(REQUEST_ID)
    log.error({ err: error, requestId, method: request.method }, 'A request failed')
  }
  if (response.headersSent) {
    // Half an answer is out: cutting the line is the one way left to say that it is not whole.
    response.destroy()
    return
  }
  const { status, headers } = answer
  sendJson(request, response, { status, headers, text: JSON.stringify(answer.toEnvelope()) }, heading)
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  // The router's own error: a `%` in the path with nothing decodable behind it.
  if (error instanceof URIError && 'status' in error)
    return new AppError('validation', "The path isn't correctly percent-encoded")
  return new AppError('internal', 'Internal error; see the log for the request ID in X-Request-Id')
}

export const notFound: RequestHandler = (request) => {
  throw new AppError('not_found', `Not found: ${pathOf(request.originalUrl).slice(0, 200)}`)
}
