import { forwardingHeader, isLoopbackHost } from '../../../shared/forwarding.ts'
import type { WebhookRequest } from '../../../shared/contract/webhooks.ts'

/** A request that came from elsewhere: what showed it, and when. */
export interface SeenFromOutside {
  readonly at: string
  /** The name it was sent to. */
  readonly host: string
  /** The header by which a proxy or a tunnel told of itself; null where the name alone shows it. */
  readonly header: string | null
}

/**
 * The newest stored request that came through a proxy or a tunnel, or under a name that is not this machine's own.
 *
 * @param requests newest first
 */
export function seenFromOutside(requests: readonly WebhookRequest[]): SeenFromOutside | null {
  for (const { at, headers } of requests) {
    const header = forwardingHeader(headers)
    const { host = '' } = headers
    if (header !== null || (host !== '' && !isLoopbackHost(host)))
      return { at, host: headers['x-forwarded-host'] ?? host, header }
  }
  return null
}
