import type { KeptExchange } from '../../../shared/contract/flow-runs.ts'
import type { Exchange, OutgoingRequest } from '../ports.ts'
import { headerRecord } from './headers.ts'

/**
 * A call as it is stored in the history, with its bodies cut off. It still contains secrets.
 *
 * @param whole whether its bodies are kept whole
 */
export function toExchangeRecord(exchange: Exchange, page: number | null, whole = false): KeptExchange {
  const { request, response, attempt, startedAt, durationMs, error } = exchange
  const most = whole ? Infinity : KEPT_BODY_BYTES
  return {
    ...(whole && { whole }),
    attempt,
    page,
    started_at: new Date(startedAt).toISOString(),
    duration_ms: durationMs,
    request: {
      method: request.method,
      url: request.url,
      headers: headerRecord(request.headers),
      body: keptBody(request.body, most),
    },
    response: response && {
      status: response.status,
      headers: headerRecord(response.headers),
      body: keptBody(response.body, most),
      bytes: response.wireBytes,
    },
    error,
  }
}

/**
 * Binary content becomes replacement characters, because the history is for people. A list's page keeps its original
 * bytes, because most pages are stored unchanged. They are copied, because they share their memory with other
 * responses.
 */
function keptBody(body: OutgoingRequest['body'], most: number): string | Uint8Array | null {
  if (body === null || body.length === 0) return null
  if (typeof body === 'string') return body.slice(0, most)
  if (body.length < LONG_BODY_BYTES) return UTF8.decode(body)
  return new Uint8Array(body.subarray(0, most))
}

/** More bytes than are shown, so that a secret across the cut is still recognized when it is redacted. */
const KEPT_BODY_BYTES = 24_576
const LONG_BODY_BYTES = 4_096
const UTF8 = new TextDecoder()
