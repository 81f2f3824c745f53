/** A request as it can be sent a second time. */
import type { Flow } from '../../../shared/contract/flows.ts'
import type { ReceivedBody, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { resentHeaders } from '../../../shared/resent-headers.ts'
import { t } from '../../lib/i18n.ts'
import { toCurlOfBytes, toSnippet } from '../../lib/snippets.ts'

/** What of a request can be changed before it is sent again. */
export interface EditableRequest {
  /** With its `?`; empty where there is none. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: ReceivedBody['encoding']
  /** Text, or two digits a byte. */
  readonly body: string
}

export function toEditable(
  { path, headers }: Pick<WebhookRequest, 'path' | 'headers'>,
  received: ReceivedBody,
): EditableRequest {
  const at = path.indexOf('?')
  return {
    query: at === -1 ? '' : path.slice(at),
    headers: resentHeaders(headers),
    encoding: received.encoding,
    body: received.body,
  }
}

/** The whole address, with the token that the flow asks for. */
export function addressed({ query, headers }: EditableRequest, { webhook, settings }: Flow) {
  const token = settings.webhook_token_enabled ? (webhook?.token ?? null) : null
  return {
    url: `${webhook?.url ?? ''}${query}`,
    headers: { ...headers, ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
  }
}

export function toCurl(request: EditableRequest, flow: Flow, isCut = false): string {
  const { url, headers } = addressed(request, flow)
  const command =
    request.encoding === 'text'
      ? toSnippet('curl', { method: 'POST', url, headers, body: request.body })
      : toCurlOfBytes({ method: 'POST', url, headers }, request.body)
  return isCut
    ? `# ${t('Not the whole request: only the beginning of its body was kept.')}\n${command}`
    : command
}

/** Null where the digits are no bytes. */
export function toBytes({ encoding, body }: EditableRequest): Uint8Array<ArrayBuffer> | null {
  if (encoding === 'text') return new TextEncoder().encode(body)
  const digits = body.replace(/\s/g, '')
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) return null
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  )
}
