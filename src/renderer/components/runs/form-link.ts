import type { Flow } from '../../../shared/contract/flows.ts'

/**
 * The link to give to others: the URL of a flow's form, with the token that opens it. Null if the form needs a token
 * that can't be decrypted here.
 */
export function formLink(
  url: string,
  { webhook, settings }: Pick<Flow, 'webhook' | 'settings'>,
): string | null {
  if (!settings.webhook_token_enabled) return url
  const token = webhook?.token ?? null
  return token === null ? null : `${url}?token=${encodeURIComponent(token)}`
}
