/** Sends requests to a flow's webhook like any other caller. */
import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { ReceivedBody, WebhookAnswer } from '../../../shared/contract/webhooks.ts'
import { WEBHOOK_PATH } from '../../../shared/contract/webhooks.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import type { HostClient } from './host-client.ts'

export interface WebhookCall {
  /** Including the `?`; empty if there is none. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export type WebhookReply = Omit<WebhookAnswer, 'truncated'>

/** @throws HostError if the flow has no webhook, or Millrace can't be reached */
export function sendToWebhook(host: HostClient, flow: Flow, call: WebhookCall): Promise<WebhookReply> {
  if (!flow.webhook)
    throw new HostError(EXIT.failed, `Flow "${flow.name}" has no webhook; its first step must be one`)
  const token = flow.settings.webhook_token_enabled ? flow.webhook.token : null
  const headers = { ...call.headers, ...(token === null ? {} : { Authorization: `Bearer ${token}` }) }
  return new Promise((resolve, reject) => {
    const unreachable = (cause: unknown) =>
      reject(new HostError(EXIT.failed, `The running Millrace doesn't respond at ${host.url}`, { cause }))
    const sent = request(`${host.url}${WEBHOOK_PATH}/${flow.id}${call.query}`, {
      method: 'POST',
      headers: { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(call.body) },
    })
    sent.once('error', unreachable)
    sent.once('response', (response) => {
      const told = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
      readText(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(told), body }),
        unreachable,
      )
    })
    sent.end(call.body)
  })
}

export function bytesOf({ encoding, body }: Pick<ReceivedBody, 'encoding' | 'body'>): Buffer {
  return encoding === 'hex' ? Buffer.from(body, 'hex') : Buffer.from(body)
}

export function queryOf(path: string): string {
  const at = path.indexOf('?')
  return at === -1 ? '' : path.slice(at)
}
