/** Calls of the Millrace connector and its copies: the only way for flows to reach this program itself. */
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import type { HeaderLine, SendRequest } from '../../../engine/ports.ts'
import { headerValue } from '../../../engine/request/headers.ts'
import type { Store } from '../../../store/index.ts'

/** Identifies the run that makes the call, so that flows that start each other forever are stopped. */
export const CALLING_RUN_HEADER = 'X-Millrace-Run'

interface Senders {
  senderFor(auth: OpenAuth | null): SendRequest
}

/**
 * Allows calls to this program's port only with credentials of connectors whose base is this program's own URL, and
 * only if they have no other URL.
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

/** Only matches the whole base URL, because a URL that also contains other values could point anywhere. */
const OWN_ADDRESS = /^\s*\{\{\s*millrace_url\s*\}\}\/?\s*$/

/** Names the calling run, whose ID is the beginning of the idempotency key of steps that change something. */
function namingRun(headers: readonly HeaderLine[]): readonly HeaderLine[] {
  const key = headerValue(headers, 'Idempotency-Key') ?? ''
  const run = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(key)?.[0]
  return run === undefined ? headers : [...headers, [CALLING_RUN_HEADER, run]]
}
