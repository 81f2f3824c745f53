import type { IncomingMessage } from 'node:http'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { Gate } from './gate.ts'
import { isWebhookPath, pathOf } from './paths.ts'

/** Rejects malformed requests before anything in them is trusted. */
export const checkForm: Gate = (request) => {
  requireOnce(request, 'host')
  if (!request.headers.host) throw new AppError('validation', say('The Host header is missing'))
  requireOnce(request, 'authorization')
  requireOnce(request, 'content-type')
  const { expect } = request.headers
  // An HTTP/1.0 caller can't wait for a response to `Expect`, so the header is ignored.
  if (expect !== undefined && request.httpVersionMinor > 0 && expect.toLowerCase() !== '100-continue') {
    throw new AppError(
      'expectation_failed',
      say('Expect "{{value}}" isn\'t supported; remove the header', { value: expect.slice(0, 40) }),
    )
  }
  request.url = originForm(request.url ?? '', request.headers.host)
}

/**
 * If such a header is repeated, Node silently keeps the first, but a proxy in front may have used the last. The request
 * is rejected, so that the two can't disagree about it.
 */
function requireOnce({ rawHeaders }: IncomingMessage, name: string): void {
  let seen = false
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!
    if (header.length !== name.length || header.toLowerCase() !== name) continue
    if (seen) throw new AppError('validation', say('The header {{name}} was sent twice', { name: header }))
    seen = true
  }
}

/**
 * `GET http://127.0.0.1:4747/v1/health`, as a proxy's client sends it, becomes `/v1/health` if it names the same host.
 */
function originForm(target: string, host: string): string {
  // No client sends a fragment; a router would cut it off and read a different path. For a webhook, such a path is
  // simply unknown.
  if (target.includes('#') && !isWebhookPath(target))
    throw new AppError('validation', say('The URL of the request contains a #; write it as %23'))
  if (target.startsWith('/')) return target
  const prefix = `http://${host}`
  const rest = target.slice(prefix.length)
  if (target.toLowerCase().startsWith(prefix.toLowerCase()) && /^($|[/?])/.test(rest)) {
    return rest.startsWith('/') ? rest : `/${rest}`
  }
  throw new AppError('validation', say('The URL of the request must be a path that begins with /'))
}

/** `/v1/flows/` means `/v1/flows`. Webhooks are matched before this, because their URL must not be altered. */
export const trimSlash: Gate = (request) => {
  const { url = '' } = request
  const path = pathOf(url)
  if (path.length > 1 && path.endsWith('/')) request.url = path.slice(0, -1) + url.slice(path.length)
}
