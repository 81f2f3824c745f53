import { CsvError, parseCsv } from '../../csv/parse-csv.ts'
import { JsonError, parseJson } from '../../data/json.ts'
import { type Data, dictionaryOf } from '../../data/value.ts'
import type { OutgoingResponse } from '../../ports.ts'
import { headerValue } from '../../request/headers.ts'
import { placeOf } from '../../request/request-error.ts'
import { decodeText, isJsonType, JSON_LINES_TYPE, readJsonBody } from '../../request/response-json.ts'
import { UnknownCharsetError } from '../../data/decode-text.ts'
import { decodeXml } from '../../xml/decode-xml.ts'
import { parseXml, XmlError } from '../../xml/parse-xml.ts'
import { PaginationError } from '../model/pagination-error.ts'

/**
 * The parsed body of a response; undefined if it has none (204). It is parsed as JSON unless its Content-Type is JSON
 * lines, CSV or XML.
 *
 * @throws PaginationError `response_not_json`, or `response_too_large` if it has more values than fit in memory
 */
export function readResponseBody(response: OutgoingResponse): Data | undefined {
  if (response.status === 204) return undefined
  try {
    return readerFor(response)(response)
  } catch (error) {
    if (isUnreadable(error)) throw unreadable(response, error)
    throw error
  }
}

type ReadBody = (response: OutgoingResponse) => Data

const XML_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/i
const READERS: readonly (readonly [RegExp, ReadBody])[] = [
  [JSON_LINES_TYPE, readJsonLines],
  [/^text\/csv\b/i, readCsv],
  [XML_TYPE, readXml],
]

export function isXml(response: OutgoingResponse): boolean {
  return XML_TYPE.test(typeOf(response))
}

const typeOf = (response: OutgoingResponse) => (headerValue(response.headers, 'content-type') ?? '').trim()

function readerFor(response: OutgoingResponse): ReadBody {
  const type = typeOf(response)
  return READERS.find(([pattern]) => pattern.test(type))?.[1] ?? readJsonBody
}

/**
 * Reads a body that was stored as a string and whose Content-Type is JSON lines, CSV or XML; undefined if it is none of
 * these or can't be read.
 */
export function readOtherFormat(text: string, headers: OutgoingResponse['headers']): Data | undefined {
  const body = Buffer.from(text)
  const response = { status: 200, url: '', headers, body, wireBytes: body.length, durationMs: 0 }
  const read = readerFor(response)
  if (read === readJsonBody) return undefined
  try {
    return read(response)
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

function readJsonLines(response: OutgoingResponse): Data {
  const lines = decodeText(response).split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => parseJson(line))
}

/** One record per row, keyed by the names in the first row. */
function readCsv(response: OutgoingResponse): Data {
  const [names = [], ...rows] = parseCsv(decodeText(response), { maxFields: MAX_CSV_FIELDS })
  return rows.map((row) => dictionaryOf(names.map((name, index) => [name, row[index] ?? ''])))
}

const MAX_CSV_FIELDS = 10_000_000

function readXml(response: OutgoingResponse): Data {
  const charset = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(headerValue(response.headers, 'content-type') ?? '')
  return parseXml(decodeXml(response.body, charset?.[1] ?? null), { maxValues: 10_000_000 })
}

type Unreadable = JsonError | CsvError | XmlError | UnknownCharsetError

function isUnreadable(error: unknown): error is Unreadable {
  return [JsonError, CsvError, XmlError, UnknownCharsetError].some((kind) => error instanceof kind)
}

/** A response that isn't paginated: JSON if possible, otherwise a string; null without a body. */
export function readAnyBody(response: OutgoingResponse): Data {
  if (response.body.length === 0) return null
  try {
    return readJsonBody(response)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    if (isJsonType(response)) throw unreadable(response, error)
    return decodeText(response)
  }
}

function unreadable(response: OutgoingResponse, cause: Unreadable): PaginationError {
  if (cause instanceof JsonError && cause.reason === 'limit') {
    return new PaginationError('response_too_large', `${placeOf(response.url)}: ${cause.message}`, { cause })
  }
  const type = headerValue(response.headers, 'content-type') ?? 'no Content-Type'
  const format = cause instanceof CsvError ? 'CSV' : cause instanceof JsonError ? 'JSON' : 'XML'
  const what = response.body.length === 0 ? 'an empty body' : `a body that isn't ${format}: ${cause.message}`
  return new PaginationError(
    'response_not_json',
    `${placeOf(response.url)} returned status ${response.status}, ${type} and ${what}`,
    { status: undefined, cause },
  )
}
