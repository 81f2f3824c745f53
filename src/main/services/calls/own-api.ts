/** Calls of the connector "Millrace" and of copies of it: the one way by which flows reach this program itself. */
import type { OpenAuth } from '../../engine/connector/open-auth.ts'
import type { HeaderLine, SendRequest } from '../../engine/ports.ts'
import { headerValue } from '../../engine/request/headers.ts'
import type { Store } from '../../store/index.ts'

/** Names the run that a call comes from, so that flows which start each other for ever are stopped. */
export const CALLING_RUN_HEADER = 'X-Millrace-Run'

interface Senders {
  senderFor(auth: OpenAuth | null): SendRequest
}

/**
 * Lets credentials of connectors whose base is this program's own address, and no others, reach its port, where they
 * have no other address.
 */
export function withOwnApi<T extends Senders>(oauth: T, connectors: Pick<Store['connectors'], 'get'>): T {
  return {
    ...oauth,
    senderFor(auth) {
      const send = oauth.senderFor(auth)
      if (auth === null || auth.api_endpoint !== '') return send
      if (!OWN_ADDRESS.test(connectors.get(auth.connector_id)?.base_domain ?? '')) return send
      return (request, options) =>
        send({ ...request, headers: namingRun(request.headers) }, { ...options, toOwnApi: true })
    },
  }
}

/** The whole base and nothing more: one that is made of other values as well could lead anywhere. */
const OWN_ADDRESS = /^\s*\{\{\s*millrace_url\s*\}\}\/?\s*$/

/** A step that changes something says which run it belongs to in its key. */
function namingRun(headers: readonly HeaderLine[]): readonly HeaderLine[] {
  const key = headerValue(headers, 'Idempotency-Key') ?? ''
  const run = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(key)?.[0]
  return run === undefined ? headers : [...headers, [CALLING_RUN_HEADER, run]]
}
