import { JsonError, parseJson } from '../../data/json.ts'
import type { Data } from '../../data/value.ts'
import type { OutgoingResponse } from '../../ports.ts'
import { headerValue } from '../../request/headers.ts'
import { placeOf } from '../../request/request-error.ts'
import { RESPONSE_JSON_LIMITS } from '../model/limits.ts'
import { PaginationError } from '../model/pagination-error.ts'

/**
 * The parsed body of a response; undefined where it has none (204).
 *
 * @throws PaginationError `response_not_json`, or `response_too_large` for more values than can be held
 */
export function readResponseBody(response: OutgoingResponse): Data | undefined {
  if (response.status === 204) return undefined
  try {
    return parseJson(decodeText(response), RESPONSE_JSON_LIMITS)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw notJson(response, error)
  }
}

/** A response that is not paged: JSON where it is, else its text; null without a body. */
export function readAnyBody(response: OutgoingResponse): Data {
  if (response.body.length === 0) return null
  const type = headerValue(response.headers, 'content-type') ?? ''
  if (/\bjson\b/i.test(type)) return readResponseBody(response) ?? null
  const text = decodeText(response)
  try {
    return parseJson(text, RESPONSE_JSON_LIMITS)
  } catch (error) {
    if (error instanceof JsonError) return text
    throw error
  }
}

/** JSON is UTF-8; older APIs say otherwise in a byte-order mark or in `charset`. */
export function decodeText({ body, headers }: OutgoingResponse): string {
  const [first, second] = body
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(body)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(body)
  const charset = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(headerValue(headers, 'content-type') ?? '')?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset) ? UTF8.decode(body) : decode(body, charset)
}

function decode(body: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return UTF8.decode(body)
  }
}

const UTF8 = new TextDecoder()

function notJson(response: OutgoingResponse, cause: JsonError): PaginationError {
  if (cause.reason === 'limit') {
    return new PaginationError('response_too_large', `${placeOf(response.url)}: ${cause.message}`, { cause })
  }
  const type = headerValue(response.headers, 'content-type') ?? 'no Content-Type'
  const what = response.body.length === 0 ? 'an empty body' : `a body that is no JSON: ${cause.message}`
  return new PaginationError(
    'response_not_json',
    `${placeOf(response.url)} answered with status ${response.status}, ${type} and ${what}`,
    { status: undefined, cause },
  )
}
