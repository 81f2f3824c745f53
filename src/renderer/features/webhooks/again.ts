/** A request that can be sent again. */
import type { Flow } from '../../../shared/contract/flows.ts'
import type { ReceivedBody, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { resentHeaders } from '../../../shared/resent-headers.ts'
import { t } from '../../lib/i18n.ts'
import { toCurlOfBytes, toSnippet } from '../../lib/snippets.ts'

/** The parts of a request that can be changed before it is sent again. */
export interface EditableRequest {
  /** With its `?`; empty if there is none. */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: ReceivedBody['encoding']
  /** Text, or two digits per byte. */
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

/** The complete URL, with the token that the flow requires. */
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
    ? `# ${t('Incomplete request: only the beginning of its body was kept.')}\n${command}`
    : command
}

/** Null if the digits aren't bytes. */
export function toBytes({ encoding, body }: EditableRequest): Uint8Array<ArrayBuffer> | null {
  if (encoding === 'text') return new TextEncoder().encode(body)
  const digits = body.replace(/\s/g, '')
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) return null
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  )
}
