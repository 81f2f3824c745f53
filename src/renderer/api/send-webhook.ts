import { asAppError, unreachable } from './failure.ts'
import { formatJson } from '../lib/json.ts'

export interface WebhookAnswer {
  readonly status: number
  /** Keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly durationMs: number
}

/**
 * Calls a flow's webhook as any other program would: with its own token and through the real port.
 *
 * @throws AppError `unavailable` if nothing responds; a status of 400 or above is a response
 */
export async function sendWebhook(url: string, token: string | null, body: unknown): Promise<WebhookAnswer> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  }
  return await sendRequest(url, headers, formatJson(body, 0))
}

/**
 * Sends a request with custom headers and bytes. The request goes to the page's own origin, the only one it can call.
 * Headers that the browser sets itself keep the browser's values.
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
