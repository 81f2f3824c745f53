import { say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type {
  PaginationConfigEntry,
  ResponseFormat,
} from '../../../../shared/contract/base/pagination-config.ts'
import { CsvError, type CsvOptions, delimiterOf, parseCsv, toDictionary, toNames } from '@millrace/jinja/csv'
import {
  type Data,
  isJsonText,
  isList,
  isUndecodable,
  JsonError,
  parseJson,
  UnknownCharsetError,
} from '@millrace/jinja/data'
import type { OutgoingResponse } from '../../ports.ts'
import { XML_TYPE } from '../../request/body.ts'
import { headerValue } from '../../request/headers.ts'
import { placeOf } from '../../request/request-error.ts'
import { decodeText, isJsonType, JSON_LINES_TYPE, readJsonBody } from '../../request/response-json.ts'
import { decodeXml, parseXml, XmlError } from '@millrace/jinja/xml'
import { cutTables } from '../doubt/partial-page.ts'
import type { PageConfig } from '../model/page-config.ts'
import { PaginationError } from '../model/pagination-error.ts'

/** The keys of a configuration that decide how a response is read. */
export type BodyKeys = Pick<PageConfig, 'responseFormat' | 'delimiter'>

/**
 * The parsed body of a response; undefined if it has none (204). Its format is that of the configuration or else of
 * its Content-Type: JSON unless that is JSON lines, CSV or XML.
 *
 * @throws PaginationError `response_not_json`, or `response_too_large` if it has more values than fit in memory
 */
export function readResponseBody(response: OutgoingResponse, keys: BodyKeys | null): Data | undefined {
  if (response.status === 204) return undefined
  const format = formatOf(response, keys)
  try {
    return readOnce(response, format, keys?.delimiter ?? ',')
  } catch (error) {
    if (isUnreadable(error)) throw unreadable(response, format, error)
    throw error
  }
}

const TYPES: readonly (readonly [RegExp, ResponseFormat])[] = [
  [JSON_LINES_TYPE, 'ndjson'],
  [/^text\/csv\b/i, 'csv'],
  [XML_TYPE, 'xml'],
]

export function formatOf(
  { headers }: Pick<OutgoingResponse, 'headers'>,
  keys: BodyKeys | null,
): ResponseFormat {
  if (keys?.responseFormat) return keys.responseFormat
  const type = (headerValue(headers, 'content-type') ?? '').trim()
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'json'
}

type ReadBody = (response: OutgoingResponse, delimiter: string) => Data

const READERS: Readonly<Record<ResponseFormat, ReadBody>> = {
  json: readJsonBody,
  ndjson: readJsonLines,
  csv: (response, delimiter) => readTable(response, { delimiter }),
  tsv: (response) => readTable(response, { delimiter: '\t', isUnquoted: true }),
  xml: readXml,
  text: decodeText,
}

/** Caches the result, because a page is read more than once: as a reason to repeat its call, and for its records. */
function readOnce(response: OutgoingResponse, format: ResponseFormat, delimiter: string): Data {
  if (format === 'json') return readJsonBody(response)
  const last = read.get(response)
  if (last?.format === format && last.delimiter === delimiter) return last.body
  const body = READERS[format](response, delimiter)
  read.set(response, { format, delimiter, body })
  return body
}

const read = new WeakMap<
  OutgoingResponse,
  { readonly format: ResponseFormat; readonly delimiter: string; readonly body: Data }
>()

/** A text body that isn't JSON, as Suggest reads it. */
export interface OtherBody {
  readonly body: Data
  /** The keys that a configuration needs to read it; null if its Content-Type is enough. */
  readonly keys: Pick<PaginationConfigEntry, 'response_format' | 'delimiter'> | null
}

/**
 * Reads a body that was stored as a string and isn't JSON, in the format of its Content-Type, or in the one that it
 * looks like. Null if it has none of the known formats.
 */
export function readOtherFormat(text: string, headers: OutgoingResponse['headers']): OtherBody | null {
  const content = Buffer.from(text)
  const response = { status: 200, url: '', headers, body: content, wireBytes: content.length, durationMs: 0 }
  const format = formatOf(response, null)
  const found =
    format === 'json' ? (isJsonType(response) ? null : looksOf(text)) : { response_format: format }
  if (found === null) return null
  try {
    const body = READERS[found.response_format](response, found.delimiter ?? ',')
    return { body, keys: format === 'json' ? found : null }
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  }
}

type Looks = { readonly response_format: ResponseFormat; readonly delimiter?: string }

/** JSON lines, XML or a table; null if there is no sign of them. */
function looksOf(text: string): Looks | null {
  const lines = text.split(/\r?\n/, 50).filter((line) => line.trim() !== '')
  if (lines.length > 1 && lines.slice(0, 2).every((line) => /^\s{0,9}\{.*\}\s{0,9}$/.test(line)))
    return { response_format: 'ndjson' }
  const start = text.slice(0, 200).trimStart()
  if (/^<[?a-z]/i.test(start) && !/^<html/i.test(start)) return { response_format: 'xml' }
  const delimiter = delimiterOf(text)
  const [width = 1, ...widths] = lines.map((line) => line.split(delimiter).length)
  if (width < 2 || widths.length === 0 || /^\s*[<{[]/.test(text)) return null
  // The last line may be cut off, and others may contain delimiters in quotes.
  const isTable =
    lines.some((line) => line.includes('"')) || widths.slice(0, 20).every((one) => one === width)
  if (!isTable) return null
  if (delimiter === '\t' && !text.includes('"')) return { response_format: 'tsv' }
  return {
    response_format: 'csv',
    ...(delimiter === ',' ? {} : { delimiter: delimiter === '\t' ? 'tab' : delimiter }),
  }
}

function readJsonLines(response: OutgoingResponse): Data {
  const lines = decodeText(response).split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => parseJson(line))
}

/** One record per row, keyed by the names in the first row. Whatever begins like JSON or XML isn't a table. */
function readTable(response: OutgoingResponse, options: Partial<CsvOptions>): Data {
  const text = decodeText(response)
  if (/^\ufeff?\s*[{[]/.test(text) && isJsonText(text)) return readJsonBody(response)
  if (/^\ufeff?\s*<[!?a-z]/i.test(text)) throw new CsvError(1, say('it begins like XML or HTML.'))
  const [first = [], ...rows] = parseCsv(text, { ...options, maxFields: MAX_CSV_FIELDS })
  const names = toNames(first)
  const records = rows.map((row) => toDictionary(names, row, ''))
  columns.set(records, names)
  const [last = [], ...others] = rows.toReversed()
  const isShort = ({ length }: readonly string[]) => length < names.length
  if (others.length > 0 && isShort(last) && !/[\r\n]$/.test(text) && !others.some(isShort))
    cutTables.add(records)
  return records
}

/** The columns of a page that is a table; null if it is something else. */
export function columnsOf(body: Data): readonly string[] | null {
  return isList(body) ? (columns.get(body) ?? null) : null
}

const columns = new WeakMap<readonly Data[], readonly string[]>()

const MAX_CSV_FIELDS = 10_000_000

function readXml(response: OutgoingResponse): Data {
  const charset = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(headerValue(response.headers, 'content-type') ?? '')
  return parseXml(decodeXml(response.body, charset?.[1] ?? null), { maxValues: 10_000_000 })
}

type Unreadable = JsonError | CsvError | XmlError | UnknownCharsetError | TypeError

function isUnreadable(error: unknown): error is Unreadable {
  const kinds = [JsonError, CsvError, XmlError, UnknownCharsetError]
  return isUndecodable(error) || kinds.some((kind) => error instanceof kind)
}

/** Reads a response that isn't paginated as JSON if possible, or else as a string. Null if it has no body. */
export function readAnyBody(response: OutgoingResponse): Data {
  if (response.body.length === 0) return null
  try {
    return readJsonBody(response)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    if (isJsonType(response)) throw unreadable(response, 'json', error)
    return decodeText(response)
  }
}

function unreadable(response: OutgoingResponse, format: ResponseFormat, cause: Unreadable): PaginationError {
  if (cause instanceof JsonError && cause.reason === 'limit') {
    return new PaginationError(
      'response_too_large',
      say('{{field}}: {{rest}}', { field: placeOf(response.url), rest: sentenceOf(cause) }),
      { cause },
    )
  }
  const type = headerValue(response.headers, 'content-type') ?? say('no Content-Type')
  const what =
    response.body.length === 0
      ? say('an empty body')
      : say('{{problem}}: {{why}}', { problem: problemOf(cause, format), why: sentenceOf(cause) })
  return new PaginationError(
    'response_not_json',
    say('{{url}} returned status {{status}}, {{type}} and {{what}}', {
      url: placeOf(response.url),
      status: response.status,
      type,
      what,
    }),
    { status: undefined, cause },
  )
}

const problemOf = (cause: Unreadable, format: ResponseFormat) =>
  cause instanceof JsonError && cause.reason === 'number'
    ? say("a number that can't be represented")
    : say("a body that isn't {{format}}", { format: NAMES[format] })

const NAMES: Readonly<Record<ResponseFormat, string | Said>> = {
  json: 'JSON',
  ndjson: say('JSON lines'),
  csv: 'CSV',
  tsv: say('tab-separated text'),
  xml: 'XML',
  text: say('text'),
}
