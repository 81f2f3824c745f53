import { quoted, say, type Said, sentenceOf, spoken } from '../../../shared/contract/base/message.ts'
import { AppError } from '../../../shared/contract/base/errors.ts'
import type { RunWarning } from '../../../shared/contract/flow-runs.ts'
import {
  type Data,
  isDictionary,
  isJsonText,
  isList,
  JsonError,
  parseJson,
  writeJson,
} from '@millrace/jinja/data'
import {
  hasTags,
  parseLiteral,
  renderJsonBody,
  renderTemplate,
  type TemplateContext,
  type TemplateOptions,
} from '@millrace/jinja'
import {
  isHeaderName,
  isHeaderValue,
  refusalOfHeader,
  type ResponseHeaders,
  SANDBOX_HEADERS,
  toWireValue,
} from './response-headers.ts'

/** The configuration of a webhook's or `respond` step's response. */
export interface ResponseConfig {
  /** A status number, or a template that renders to one. */
  readonly statusCode: number | string
  /** A template; empty if none is configured. */
  readonly body: string
  /** Header names, with templates for their values. */
  readonly headers: Readonly<Record<string, string>>
}

export interface WebhookResponse {
  readonly status: number
  /** The headers by lower-case name, encoded for HTTP. */
  readonly headers: ResponseHeaders
  /** Null for a response without a body (204, 304). */
  readonly body: string | null
  /** Differences from the configuration, such as a header that was left out or a body that isn't JSON. */
  readonly warnings: readonly RunWarning[]
}

/**
 * Builds the response to a waiting caller by rendering its templates with the results of the flow.
 *
 * @throws AppError `flow_error` for a status or header that HTTP doesn't allow
 * @throws TemplateError
 */
export function buildWebhookResponse(
  config: ResponseConfig,
  context: TemplateContext,
  options?: TemplateOptions,
): WebhookResponse {
  const render: Render = {
    text: (source) => renderTemplate(source, context, options),
    dictionary: (source) => renderJsonBody(source, context, options),
  }
  const status = renderStatus(config.statusCode, render)
  const { headers, warnings } = renderHeaders(config.headers, render)
  if (BODILESS.has(status)) {
    const { 'content-type': _, ...rest } = headers
    return { status, headers: { ...rest, ...SANDBOX_HEADERS }, body: null, warnings }
  }
  const configuredType = headers['content-type']
  const { type, text } = renderBody(config.body, configuredType, render)
  if (type === TEXT_TYPE && (isDictionaryString(config.body) || configuredType !== undefined)) {
    const said = say("The response body isn't JSON, but was sent as {{type}}: {{fault}}", {
      type: configuredType ?? TEXT_TYPE,
      fault: faultOfJson(text),
    })
    warnings.push({ code: 'not_json', ...spoken(said) })
  }
  return {
    status,
    headers: { 'content-type': type, ...headers, ...SANDBOX_HEADERS },
    body: text,
    warnings,
  }
}

interface Render {
  readonly text: (source: string) => string
  readonly dictionary: (source: string) => string
}

/** The problem with a constant status; used by the check on saving. */
export function constantStatusProblem(statusCode: number | string): Said | undefined {
  if (typeof statusCode === 'string' && hasTags(statusCode)) return undefined
  return statusOf(String(statusCode)) === undefined ? statusSentence(String(statusCode)) : undefined
}

/** The problem with a constant header; used by the check on saving. */
export function constantHeaderProblem(name: string, template: string): Said | undefined {
  if (!isHeaderName(name)) return nameSentence(name)
  return hasTags(template) || isHeaderValue(template.trim()) ? undefined : valueSentence(name)
}

/**
 * The problem with a body that begins like JSON but can't become JSON, whatever its values are. A body with
 * statements, or with its own content type, isn't checked.
 */
export function jsonBodyProblem({
  body,
  headers,
}: Pick<ResponseConfig, 'body' | 'headers'>): Said | undefined {
  const typed = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')
  if (!isDictionaryString(body) || body.includes('{%')) return undefined
  if (typed !== undefined && !isJsonType(typed[1])) return undefined
  const candidates = STAND_INS.map((value) => withStandIns(body, value))
  const isPossible = candidates.some((text) => isJsonText(text) || readContainer(text) !== undefined)
  return isPossible ? undefined : faultOfJson(candidates[0] ?? body)
}

/** Stand-ins for `{{ … }}`: values, a property, or nothing. Inside quotes, any value is possible. */
const STAND_INS = ['0', '"x"', '"x": 0', '']

/** Lines and columns stay the same, so that a fault is found in the template. */
function withStandIns(body: string, value: string): string {
  const inPlaceOf = (found: string, text: string) => text + found.slice(text.length).replaceAll(/[^\n]/g, ' ')
  return body.replaceAll(TAGS_AND_STRINGS, (found) => {
    if (found.startsWith('"')) return found.replaceAll(OUTPUT, (output) => '0'.repeat(output.length))
    return inPlaceOf(found, found.startsWith('{#') ? '' : value)
  })
}

/** Braces in the strings of an expression don't end it. */
// linear: what isn't closed reaches to the end, so no part is read twice
const OUTPUT =
  /\{\{(?:"(?:\\(?:[^]|$)|[^"\\])*(?:"|$)|'(?:\\(?:[^]|$)|[^'\\])*(?:'|$)|(?!\}\})[^"'])*(?:\}\}|$)/g
/** A comment, an output, or a string in quotes with the outputs in it. */
// linear: what isn't closed reaches to the end, so no part is read twice
const TAGS_AND_STRINGS =
  /\{#[^]*?(?:#\}|$)|\{\{(?:"(?:\\(?:[^]|$)|[^"\\])*(?:"|$)|'(?:\\(?:[^]|$)|[^'\\])*(?:'|$)|(?!\}\})[^"'])*(?:\}\}|$)|"(?:\{\{(?:"(?:\\(?:[^]|$)|[^"\\])*(?:"|$)|'(?:\\(?:[^]|$)|[^'\\])*(?:'|$)|(?!\}\})[^"'])*(?:\}\}|$)|\\(?:[^]|$)|[^"\\])*(?:"|$)/g

function faultOfJson(text: string): Said {
  try {
    parseJson(text)
    return quoted('')
  } catch (error) {
    if (error instanceof JsonError) return sentenceOf(error)
    throw error
  }
}

function renderStatus(statusCode: number | string, render: Render): number {
  const text = typeof statusCode === 'number' ? String(statusCode) : render.text(statusCode)
  const status = statusOf(text)
  if (status === undefined) throw new AppError('flow_error', statusSentence(text))
  return status
}

/** A final HTTP status is at least 200 and has three digits. */
function statusOf(text: string): number | undefined {
  const trimmed = text.trim()
  return /^[2-9]\d\d$/.test(trimmed) ? Number(trimmed) : undefined
}

function statusSentence(text: string): Said {
  return say('The response status code is "{{value}}"; it must be an integer from 200 to 999', {
    value: shorten(text),
  })
}

function renderHeaders(
  configured: Readonly<Record<string, string>>,
  render: Render,
): { headers: ResponseHeaders; warnings: RunWarning[] } {
  const headers: Record<string, string> = {}
  const warnings: RunWarning[] = []
  for (const [name, template] of Object.entries(configured)) {
    if (!isHeaderName(name)) throw new HeaderError(name, nameSentence(name))
    const refusal = refusalOfHeader(name)
    if (refusal !== undefined) {
      warnings.push({
        code: 'header_left_out',
        ...spoken(say('The response header {{refusal}} and was left out', { refusal })),
      })
      continue
    }
    const value = render.text(template).trim()
    if (!isHeaderValue(value)) throw new HeaderError(name, valueSentence(name))
    if (value !== '') headers[name.toLowerCase()] = toWireValue(value)
  }
  return { headers, warnings }
}

/** A configured header that HTTP doesn't allow. */
export class HeaderError extends AppError {
  readonly header: string

  constructor(header: string, message: Said) {
    super('flow_error', message)
    this.header = header
  }
}

function nameSentence(name: string): Said {
  return say('"{{value}}" isn\'t a valid name for a response header', { value: shorten(name) })
}

function valueSentence(name: string): Said {
  return say('The response header "{{name}}" contains a line break or another control character', { name })
}

function renderBody(
  source: string,
  configuredType: string | undefined,
  render: Render,
): { type: string; text: string } {
  if (source === '') return { type: JSON_TYPE, text: 'null' }
  const text = isDictionaryString(source) ? render.dictionary(source) : render.text(source)
  if (configuredType !== undefined && !isJsonType(configuredType)) return { type: configuredType, text }
  if (isJsonText(text)) return { type: JSON_TYPE, text }
  const literal = readContainer(text)
  return literal === undefined ? { type: TEXT_TYPE, text } : { type: JSON_TYPE, text: writeJson(literal) }
}

/** Whether the string begins with a brace or bracket that isn't a template's. Comments before it are skipped. */
function isDictionaryString(source: string): boolean {
  // linear: anchored, and at any character only one alternative matches
  return /^(?:\s|\{#(?:[^#]|#(?!\}))*#\})*(?:\[|\{(?![{%#]))/.test(source)
}

/** Reads a Python literal of a dictionary or list, as printed by a template. Other literals are plain text. */
function readContainer(text: string): Data | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    const value = parseLiteral(text)
    return isDictionary(value) || isList(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isJsonType(contentType: string): boolean {
  return /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType)
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'
const BODILESS: ReadonlySet<number> = new Set([204, 304])
