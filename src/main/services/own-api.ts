/** Calls of the built-in connector "Millrace": the one way by which flows reach this program itself. */
import { MILLRACE_CONNECTOR_ID } from '../../shared/contract/connectors.ts'
import type { OpenAuth } from '../engine/connector/open-auth.ts'
import type { HeaderLine, SendRequest } from '../engine/ports.ts'
import { headerValue } from '../engine/request/headers.ts'

/** Names the run that a call comes from, so that flows which start each other for ever are stopped. */
export const CALLING_RUN_HEADER = 'X-Millrace-Run'

interface Senders {
  senderFor(auth: OpenAuth | null): SendRequest
}

/** Lets credentials of that connector, and no others, reach the program's own port, where they have no other address. */
export function withOwnApi<T extends Senders>(oauth: T): T {
  return {
    ...oauth,
    senderFor(auth) {
      const send = oauth.senderFor(auth)
      if (auth?.connector_id !== MILLRACE_CONNECTOR_ID || auth.api_endpoint !== '') return send
      return (request, options) =>
        send({ ...request, headers: namingRun(request.headers) }, { ...options, toOwnApi: true })
    },
  }
}

/** A step that changes something says which run it belongs to in its key. */
function namingRun(headers: readonly HeaderLine[]): readonly HeaderLine[] {
  const key = headerValue(headers, 'Idempotency-Key') ?? ''
  const run = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(key)?.[0]
  return run === undefined ? headers : [...headers, [CALLING_RUN_HEADER, run]]
}
