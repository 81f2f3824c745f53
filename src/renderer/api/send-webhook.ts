import { asAppError, unreachable } from './failure.ts'
import { formatJson } from '../lib/json.ts'

export interface WebhookAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly durationMs: number
}

/**
 * Calls a flow's webhook as any other program would: with its own token and through the real port.
 *
 * @throws AppError `unavailable` where nobody answers; an answer of 400 or above is an answer
 */
export async function sendWebhook(url: string, token: string | null, body: unknown): Promise<WebhookAnswer> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  }
  return await sendRequest(url, headers, formatJson(body, 0))
}

/**
 * The same with headers and bytes of one's own. The address is taken on the page's own origin, the only one that the page
 * may call; headers that a browser writes itself stay its own.
 */
export async function sendRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<WebhookAnswer> {
  const { pathname, search } = new URL(url)
  const started = performance.now()
  try {
    const response = await fetch(window.location.origin + pathname + search, {
      method: 'POST',
      headers,
      body,
      credentials: 'omit',
      cache: 'no-store',
    })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
      durationMs: performance.now() - started,
    }
  } catch (error) {
    throw asAppError(unreachable(window.location.origin, error))
  }
}
