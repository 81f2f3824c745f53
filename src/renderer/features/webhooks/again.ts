/** A request that can be sent again. */
import type { Flow } from '../../../shared/contract/flows.ts'
import type { ReceivedBody, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { resentHeaders } from '../../../shared/resent-headers.ts'
import type { EditableRequest } from '../../components/runs/request-fields.tsx'
import { t } from '../../lib/i18n.ts'
import { toCurlOfBytes, toSnippet } from '../../lib/snippets.ts'

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
