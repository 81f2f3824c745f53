import type { IncomingMessage } from 'node:http'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import type { ReadBody, WebhookHead } from '../../services/running/webhooks/webhook-call.ts'
import type { MetricsService } from '../../services/serving/figures/metrics.ts'
import type { WebhooksService } from '../../services/running/webhooks/webhooks.ts'
import { PAGE_COOKIE } from '../gates/page-proxy.ts'
import { type ClientAddress, socketAddress } from '../gates/client-address.ts'
import type { App, RawHandler } from '../mount/app.ts'
import type { HostServer } from '../listen/host-server.ts'
import { readOrStream, readRawBytes } from '../body/read-bytes.ts'
import { ClientGone } from '../answer/client-gone.ts'
import { mountRaw } from '../mount/mount-raw.ts'
import { sendAnswer, sendStream } from '../answer/send.ts'

/** Webhooks take raw requests: any method and any body, with their own order of checks and their own responses. */
export function mountFlowWebhook(app: App, services: WebhookServices): void {
  mountRaw(app, WEBHOOK_PATH, createWebhookHandler(services))
}

/**
 * @param clientOf the caller's address for the rate limit and the list of requests
 * @param onBody called with each body that was read
 */
export function createWebhookHandler(
  { webhooks, metrics }: WebhookServices,
  clientOf: ClientAddress = socketAddress,
  onBody?: (request: IncomingMessage, body: Buffer) => void,
): RawHandler {
  return async (request, response, heading) => {
    const head = headOf(request, clientOf)
    const read: ReadBody = async (maxBytes, onTooLarge) => {
      const limits = { maxBytes, client: head.client, onTooLarge }
      const body = await orGone(readRawBytes(request, response, limits))
      if (body !== null) onBody?.(request, body)
      return body
    }
    const readOrStreamBody = async (maxBytes: number) => {
      const limits = { maxBytes, mostStreamed: LIMITS.forwardedBodyBytes, client: head.client }
      const body = await orGone(readOrStream(request, response, limits))
      if (Buffer.isBuffer(body)) onBody?.(request, body)
      return body
    }
    const answer = await webhooks.handle(head, read, readOrStreamBody).catch((error: unknown) => {
      metrics.noteWebhook(500)
      throw error
    })
    // The caller has left, or gets no response.
    if (answer === null) {
      request.socket.destroy()
      return
    }
    metrics.noteWebhook(answer.status)
    const { program } = answer
    if (response.destroyed) program?.body.destroy()
    else if (program === undefined) sendAnswer(request, response, answer, heading)
    else {
      try {
        sendStream(request, response, { ...answer, program }, heading)
      } catch (error) {
        program.body.destroy()
        throw error
      }
    }
  }
}

interface WebhookServices {
  readonly webhooks: WebhooksService
  readonly metrics: Pick<MetricsService, 'noteWebhook'>
}

/** Lists the webhook requests that arrived while nothing could serve them. */
export function listRefused(
  server: Pick<HostServer, 'onRefused'>,
  {
    webhooks,
    metrics,
  }: { readonly webhooks: Pick<WebhooksService, 'noteUnserved'> } & Pick<WebhookServices, 'metrics'>,
  clientOf: ClientAddress = socketAddress,
): void {
  server.onRefused(({ request, at, reason }) => {
    if (!(request.url ?? '').startsWith(`${WEBHOOK_PATH}/`)) return
    metrics.noteWebhook(503)
    webhooks.noteUnserved(headOf(request, clientOf), at, reason)
  })
}

function headOf(request: IncomingMessage, clientOf: ClientAddress): WebhookHead {
  const { method = '', url = '', headers, rawHeaders } = request
  const head = { method, target: url, headers, rawHeaders, client: clientOf(request) }
  return headers.cookie?.includes(PAGE_COOKIE) === true ? withoutPageCookie(head) : head
}

/**
 * Removes the session of Millrace's page, which has the same host, so that neither a flow nor a local program gets it.
 */
function withoutPageCookie({
  headers: { cookie = '', ...others },
  rawHeaders,
  ...head
}: WebhookHead): WebhookHead {
  const own = (value: string) =>
    value
      .split(';')
      .filter((pair) => !pair.trim().startsWith(`${PAGE_COOKIE}=`))
      .join(';')
      .trim()
  const lines = rawHeaders.flatMap((name, at) => {
    const value = rawHeaders[at + 1] ?? ''
    if (at % 2 === 1) return []
    const kept = name.toLowerCase() === 'cookie' ? own(value) : value
    return kept === '' && value !== '' ? [] : [name, kept]
  })
  const left = own(String(cookie))
  return { ...head, headers: left === '' ? others : { ...others, cookie: left }, rawHeaders: lines }
}

/** Null if the caller has left. */
async function orGone<T>(body: Promise<T>): Promise<T | null> {
  try {
    return await body
  } catch (error) {
    if (error instanceof ClientGone) return null
    throw error
  }
}
