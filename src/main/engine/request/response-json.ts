import {
  type Data,
  JsonError,
  type JsonLimits,
  LARGE_TEXT,
  parseJson,
  parseLargeJson,
} from '@millrace/jinja/data'
import type { OutgoingResponse } from '../ports.ts'
import { headerValue } from './headers.ts'

/** Higher than the limits for incoming JSON, because a page can have 50 MB and contain very many small values. */
const RESPONSE_JSON_LIMITS: Partial<JsonLimits> = { maxValues: 10_000_000 }

const parsed = new WeakMap<OutgoingResponse, { readonly value: Data } | { readonly error: unknown }>()

/**
 * The body of a response as JSON, parsed only once. A first line `)]}'`, which keeps browsers from running JSON as a
 * script, is skipped.
 *
 * @throws JsonError
 */
export function readJsonBody(response: OutgoingResponse): Data {
  let known = parsed.get(response)
  if (known === undefined) {
    known = attempt(response)
    parsed.set(response, known)
  }
  if ('error' in known) throw known.error
  return known.value
}

/**
 * Parses the JSON of a large body a few milliseconds at a time, so that `readJsonBody` finds it already parsed. A body
 * that isn't JSON is ignored.
 */
export async function prepareLargeJson(response: OutgoingResponse): Promise<void> {
  if (response.body.length < LARGE_TEXT || parsed.has(response)) return
  const text = withoutGuard(decodeText(response))
  if (!/^\ufeff?\s*[[{]/.test(text)) return
  try {
    parsed.set(response, { value: await parseLargeJson(text, RESPONSE_JSON_LIMITS) })
  } catch (error) {
    parsed.set(response, { error })
  }
}

function attempt(response: OutgoingResponse): { readonly value: Data } | { readonly error: unknown } {
  try {
    return { value: parseJson(withoutGuard(decodeText(response)), RESPONSE_JSON_LIMITS) }
  } catch (error) {
    return { error }
  }
}

function withoutGuard(text: string): string {
  return /^\ufeff?\s*\)\]\}'/.test(text) ? text.replace(/^[^\n]*\n?/, '') : text
}

export const JSON_LINES_TYPE = /^\s*(?:application|text)\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-?lines)\b/i

/**
 * Whether the body (for JSON lines, its last line) is JSON that ends too early, for example because a proxy timed
 * out.
 *
 * @param format how the body is read; defaults to its Content-Type
 */
export function breaksOff(response: OutgoingResponse, format?: string): boolean {
  const isLinesType = JSON_LINES_TYPE.test(headerValue(response.headers, 'content-type') ?? '')
  const isLines = format === undefined ? isLinesType : format === 'ndjson'
  const isJson = format === undefined ? isJsonType(response) : format === 'json'
  if (response.body.length === 0 || (!isLines && !isJson)) return false
  try {
    if (isLines) parseJson(decodeText(response).trimEnd().split('\n').at(-1) || 'null', RESPONSE_JSON_LIMITS)
    else readJsonBody(response)
    return false
  } catch (error) {
    return error instanceof JsonError && error.isCut
  }
}

export function isJsonType({ headers }: Pick<OutgoingResponse, 'headers'>): boolean {
  return /^[^;]*\bjson\b/i.test(headerValue(headers, 'content-type') ?? '')
}

/** JSON is UTF-8; older APIs declare other encodings with a byte-order mark or in `charset`. */
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
