import type { WebhookRequestDetail } from '../../../shared/contract/webhooks.ts'
import type { HarCall } from '../../../shared/har.ts'

/** The request and its response as a call of a HAR file, which can't contain the bytes of a binary request. */
export function harCallOf({ request, received, answer }: WebhookRequestDetail, origin: string): HarCall {
  return {
    exchange: {
      attempt: 1,
      page: null,
      started_at: request.at,
      duration_ms: request.duration_ms,
      request: {
        method: request.method,
        url: new URL(request.path, origin).href,
        headers: request.headers,
        body: received?.encoding === 'text' ? received.body : null,
      },
      response: {
        status: answer?.status ?? request.status,
        headers: answer?.headers ?? {},
        body: answer?.body ?? null,
        bytes: new TextEncoder().encode(answer?.body ?? '').length,
      },
      error: request.reason,
    },
    comment: 'webhook request',
  }
}
