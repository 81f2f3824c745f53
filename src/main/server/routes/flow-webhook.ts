import type { IncomingMessage, ServerResponse } from 'node:http'
import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import type { WebhookHead } from '../../services/webhooks/webhook-call.ts'
import type { MetricsService } from '../../services/figures/metrics.ts'
import type { WebhooksService } from '../../services/webhooks/webhooks.ts'
import type { App } from '../mount/app.ts'
import type { LoopbackServer } from '../listen/loopback-server.ts'
import { readRawBytes } from '../body/read-bytes.ts'
import { ClientGone } from '../answer/client-gone.ts'
import { mountRaw } from '../mount/mount-raw.ts'
import { sendAnswer } from '../answer/send.ts'

/** The webhook takes raw requests: any method, any body, its own order of checks, its own responses. */
export function mountFlowWebhook(app: App, { webhooks, metrics }: WebhookServices): void {
  mountRaw(app, WEBHOOK_PATH, async (request, response, heading) => {
    const answer = await webhooks
      .handle(headOf(request), (maxBytes) => readBody(request, response, maxBytes))
      .catch((error: unknown) => {
        metrics.noteWebhook(500)
        throw error
      })
    if (answer !== null) metrics.noteWebhook(answer.status)
    if (answer !== null && !response.destroyed) sendAnswer(request, response, answer, heading)
  })
}

interface WebhookServices {
  readonly webhooks: WebhooksService
  readonly metrics: Pick<MetricsService, 'noteWebhook'>
}

/** Lists the webhook requests that arrived while nothing could serve them. */
export function listRefused(
  loopback: Pick<LoopbackServer, 'onRefused'>,
  {
    webhooks,
    metrics,
  }: { readonly webhooks: Pick<WebhooksService, 'noteUnserved'> } & Pick<WebhookServices, 'metrics'>,
): void {
  loopback.onRefused(({ request, at, reason }) => {
    if (!(request.url ?? '').startsWith(`${WEBHOOK_PATH}/`)) return
    metrics.noteWebhook(503)
    webhooks.noteUnserved(headOf(request), at, reason)
  })
}

function headOf({ method = '', url = '', headers, socket }: IncomingMessage): WebhookHead {
  return { method, target: url, headers, client: addressOf(socket.remoteAddress) }
}

/** Makes an IPv4 address look the same on both of the program's sockets. */
function addressOf(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/** Null if the caller has left. */
async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<Buffer | null> {
  try {
    return await readRawBytes(request, response, { maxBytes })
  } catch (error) {
    if (error instanceof ClientGone) return null
    throw error
  }
}
