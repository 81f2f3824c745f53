import type { IncomingMessage } from 'node:http'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { Gate } from './gate.ts'
import { isWebhookPath, pathOf } from './paths.ts'

/** Refuses what is no well-formed request, before anything in it is believed. */
export const checkForm: Gate = (request) => {
  requireOnce(request, 'host')
  if (!request.headers.host) throw new AppError('validation', 'The Host header is missing')
  requireOnce(request, 'authorization')
  requireOnce(request, 'content-type')
  const { expect } = request.headers
  // An HTTP/1.0 caller cannot wait for anything, so what it expects is not asked for.
  if (expect !== undefined && request.httpVersionMinor > 0 && expect.toLowerCase() !== '100-continue') {
    throw new AppError(
      'expectation_failed',
      `Expect "${expect.slice(0, 40)}" isn't supported; remove the header`,
    )
  }
  request.url = originForm(request.url ?? '', request.headers.host)
}

/**
 * Node keeps the first of several such headers in silence, a proxy before it may have kept the last: refuse, so that
 * nobody can be of two minds about who asked for what.
 */
function requireOnce({ rawHeaders }: IncomingMessage, name: string): void {
  let seen = false
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!
    if (header.length !== name.length || header.toLowerCase() !== name) continue
    if (seen) throw new AppError('validation', `The header ${header} was sent twice`)
    seen = true
  }
}

/** `GET http://127.0.0.1:4747/v1/health` as a proxy's client sends it → `/v1/health`, where it names the same host. */
function originForm(target: string, host: string): string {
  // Nobody sends what stands behind it; a router cuts it off and reads the rest another way. A webhook knows no such path.
  if (target.includes('#') && !isWebhookPath(target))
    throw new AppError('validation', 'The URL of the request contains a #; write it as %23')
  if (target.startsWith('/')) return target
  const prefix = `http://${host}`
  const rest = target.slice(prefix.length)
  if (target.toLowerCase().startsWith(prefix.toLowerCase()) && /^($|[/?])/.test(rest)) {
    return rest.startsWith('/') ? rest : `/${rest}`
  }
  throw new AppError('validation', 'The URL of the request must be a path that begins with /')
}

/** `/v1/flows/` means `/v1/flows`. The webhook comes before this: its address may not be altered in any way. */
export const trimSlash: Gate = (request) => {
  const { url = '' } = request
  const path = pathOf(url)
  if (path.length > 1 && path.endsWith('/')) request.url = path.slice(0, -1) + url.slice(path.length)
}
