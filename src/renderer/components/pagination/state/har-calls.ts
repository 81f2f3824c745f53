import type { HarCall } from '../../../../shared/har.ts'
import { formatJson } from '../../../lib/json.ts'
import type { Attempt, TestProgress } from './test-progress.ts'

/**
 * The calls of a test in the order in which they were made.
 *
 * @param clockOrigin when the clock that was passed to `applyTestEvent` was 0
 */
export function harCalls({ pages }: Pick<TestProgress, 'pages'>, clockOrigin: number): readonly HarCall[] {
  return pages.flatMap(({ page, attempts }) =>
    attempts.map((attempt, index) => ({
      exchange: exchangeOf(attempt, { page, attempt: index + 1 }, clockOrigin),
      comment: `page ${page}`,
    })),
  )
}

function exchangeOf(
  { request, sentAt, response, body, retry }: Attempt,
  place: { readonly page: number; readonly attempt: number },
  clockOrigin: number,
): HarCall['exchange'] {
  return {
    ...place,
    started_at: new Date(clockOrigin + sentAt).toISOString(),
    duration_ms: response?.duration_ms ?? 0,
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: request.body === null ? null : textOf(request.body),
    },
    response:
      response === null
        ? null
        : {
            status: response.status,
            headers: response.headers,
            body: body?.text ?? null,
            bytes: response.bytes,
          },
    error: response === null ? (retry?.reason ?? null) : null,
  }
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : formatJson(body))
