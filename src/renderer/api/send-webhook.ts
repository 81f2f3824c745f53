import { asAppError, unreachable } from './failure.ts'
import { formatJson } from './json.ts'

export interface WebhookAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
  readonly durationMs: number
}

/**
 * Calls a flow's webhook as any other program would: with its own token and through the real port. The address is taken
 * on the page's own origin, the only one that the page may call.
 *
 * @throws AppError `unavailable` where nobody answers; an answer of 400 or above is an answer
 */
export async function sendWebhook(url: string, token: string | null, body: unknown): Promise<WebhookAnswer> {
  const { pathname, search } = new URL(url)
  const started = performance.now()
  try {
    const response = await fetch(window.location.origin + pathname + search, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: formatJson(body, 0),
      credentials: 'omit',
      cache: 'no-store',
    })
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      body: await response.text(),
      durationMs: performance.now() - started,
    }
  } catch (error) {
    throw asAppError(unreachable(window.location.origin, error))
  }
}
