import { say, sentenceOf } from '../../../shared/contract/base/message.ts'
import type { BodyKind } from '../../../shared/contract/webhooks.ts'
import { Readable } from 'node:stream'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import {
  createDecoder,
  type Data,
  decodeText,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  isDictionary,
  isUndecodable,
  JsonError,
  keysOf,
  parseLargeJson,
  UnknownCharsetError,
} from '@millrace/jinja/data'
import { decodeXml, parseXml, XmlError } from '@millrace/jinja/xml'
import { decodeContent } from './content-encoding.ts'
import { collectFields, type Field, parseFields } from './form.ts'
import { malformed, tooLarge, unsupported } from './input-error.ts'
import { type MediaType, parseMediaType } from './media-type.ts'
import { type FilePart, parseMultipart, type Part } from './multipart.ts'

/** A webhook request as it was received. */
export interface WebhookPayload {
  readonly contentType?: string | undefined
  readonly contentEncoding?: string | undefined
  readonly body: Buffer
  /** The query as in the URL, with escapes, with or without the `?`. */
  readonly query: string
  readonly limits?: Partial<WebhookLimits>
}

export interface WebhookLimits {
  /** Limits the body, before and after decompression. */
  readonly maxBytes: number
  readonly maxDepth: number
  readonly maxValues: number
  readonly maxQueryNames: number
  readonly maxFields: number
  readonly maxFiles: number
  readonly maxNameLength: number
}

const DEFAULT_WEBHOOK_LIMITS: WebhookLimits = {
  maxBytes: LIMITS.webhookBodyBytes,
  maxDepth: LIMITS.jsonDepth,
  maxValues: LIMITS.jsonValues,
  maxQueryNames: LIMITS.queryNames,
  maxFields: LIMITS.formFields,
  maxFiles: 100,
  maxNameLength: 1_000,
}

/** Stores a file from a form. It is only called after the whole request has been found to be valid. */
export type StoreFile = (
  content: Readable,
  meta: { readonly filename: string; readonly content_type: string },
) => Promise<{ readonly file_id: string; readonly size: number }>

/** A file as templates see it: an object in the input. */
export type ReceivedFile = {
  readonly filename: string
  readonly content_type: string
  readonly size: number
  readonly file_id: string
}

export interface WebhookInput {
  /** The keys of the body and the query; if a key is in both, the query's value wins. */
  readonly input: Dictionary
  readonly kind: BodyKind
  readonly files: readonly ReceivedFile[]
  readonly bodyKeys: readonly string[]
  readonly queryKeys: readonly string[]
  /** The body without its content encoding. */
  readonly decodedBody: Buffer
}

/**
 * Builds the object that a flow receives from a request.
 *
 * @throws AppError `validation`, `too_large` or `unsupported_media_type`, with a sentence for the caller
 */
export async function parseWebhookInput(
  payload: WebhookPayload,
  storeFile: StoreFile,
): Promise<WebhookInput> {
  const limits = { ...DEFAULT_WEBHOOK_LIMITS, ...payload.limits }
  if (payload.body.length > limits.maxBytes) throw tooLarge(say('The body'), limits.maxBytes)
  const query = parseQuery(payload.query, limits)
  // Doesn't await what is already available, because most bodies are neither compressed nor forms with files.
  const decodedBody =
    payload.contentEncoding === undefined
      ? payload.body
      : await decodeContent(payload.body, payload.contentEncoding, limits.maxBytes)
  const media = parseMediaType(payload.contentType)
  const body =
    media.family === 'multipart' && decodedBody.length > 0
      ? await readMultipart(decodedBody, payload.contentType ?? '', limits)
      : await readBody(decodedBody, media, limits)
  const files = body.parts.length > 0 ? await storeFiles(body.parts, storeFile) : NO_FILES
  const fields = body.parts.length > 0 ? collectFields(fieldsOf(body.parts, files)) : body.dictionary
  return {
    input: merge(fields, query),
    kind: body.kind,
    files: [...files.values()],
    bodyKeys: keysOf(fields),
    queryKeys: keysOf(query),
    decodedBody,
  }
}

/** `parts` exist only for a multipart form, whose object is built after its files have been stored. */
interface ReadBody {
  readonly kind: BodyKind
  readonly dictionary: Dictionary
  readonly parts: readonly Part[]
}

const NO_FILES: ReadonlyMap<Part, ReceivedFile> = new Map()

async function readMultipart(body: Buffer, contentType: string, limits: WebhookLimits): Promise<ReadBody> {
  try {
    const parts = await parseMultipart(body, contentType, limits)
    return { kind: 'multipart', dictionary: dictionaryOf([]), parts }
  } catch (cause) {
    throw readingError(cause)
  }
}

async function readBody(body: Buffer, media: MediaType, limits: WebhookLimits): Promise<ReadBody> {
  if (body.length === 0) return only('none', dictionaryOf([]))
  try {
    switch (media.family) {
      case 'xml':
        return only('xml', parseXml(decodeXml(body, media.charset), limits))
      case 'form':
        return (await readJsonSentAsForm(body, media, limits)) ?? only('form', readForm(body, media, limits))
      default:
        return await readByContent(body, media, limits)
    }
  } catch (cause) {
    throw readingError(cause)
  }
}

function readingError(cause: unknown): unknown {
  if (cause instanceof UnknownCharsetError) return unsupported(sentenceOf(cause), cause)
  if (cause instanceof XmlError)
    return malformed('body', say("The XML body isn't valid. {{why}}", { why: sentenceOf(cause) }), cause)
  return isUndecodable(cause)
    ? malformed('body', say("The body contains bytes that aren't valid in its charset; send UTF-8"), cause)
    : cause
}

/**
 * Reads a body of any other type, or without a type, as JSON if possible, then as a form if possible, or else as a
 * string.
 */
async function readByContent(body: Buffer, media: MediaType, limits: WebhookLimits): Promise<ReadBody> {
  const charset = media.charset ?? 'utf-8'
  if (charset !== 'utf-8') createDecoder(charset) // an unknown charset is rejected, whatever the bytes are
  const isJson = media.family === 'json'
  const text = isJson ? decodeText(body, 'utf-8') : new TextDecoder(charset).decode(body)
  try {
    return only('json', asDictionary(await parseLargeJson(text, limits)))
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause
    if (cause.reason !== 'syntax') throw unreadableJson(cause)
    if (looksLikeForm(text)) return only('form', readForm(body, media, limits))
    if (isJson)
      throw malformed('body', say("The body isn't valid JSON. {{why}}", { why: sentenceOf(cause) }), cause)
    return only('text', dictionaryOf([['body', text]]))
  }
}

/** The error for JSON that is too large, or has a number that can't be represented. */
function unreadableJson(cause: JsonError): AppError {
  const why = sentenceOf(cause)
  const said =
    cause.reason === 'limit'
      ? say('The JSON body is too large. {{why}}', { why })
      : say("The JSON body has a number that can't be represented. {{why}}", { why })
  return malformed('body', said, cause)
}

/**
 * Reads JSON with the content type of a form, as `curl -d '{…}'` sends it. Null unless the whole body is a JSON
 * object or list.
 */
async function readJsonSentAsForm(
  body: Buffer,
  media: MediaType,
  limits: WebhookLimits,
): Promise<ReadBody | null> {
  const isMarked = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
  const first = body.subarray(isMarked ? 3 : 0).find((byte) => byte > 0x20)
  if (first !== 0x7b && first !== 0x5b) return null
  try {
    const text = new TextDecoder(createDecoder(media.charset ?? 'utf-8').encoding).decode(body)
    return only('json', asDictionary(await parseLargeJson(text, limits)))
  } catch (cause) {
    if (!(cause instanceof JsonError)) throw cause
    if (cause.reason !== 'syntax') throw unreadableJson(cause)
    return null
  }
}

/** Invalid JSON or XML and multi-line text aren't forms just because they contain a `=`. */
function looksLikeForm(text: string): boolean {
  const trimmed = text.trim()
  // oxlint-disable-next-line no-control-regex -- forms have no control characters, binary data does
  return trimmed.includes('=') && !/^[{["<]/.test(trimmed) && !/[\u0000-\u001f\ufffd]/.test(trimmed)
}

function readForm(body: Buffer, media: MediaType, limits: WebhookLimits): Dictionary {
  const decoder = new TextDecoder(createDecoder(media.charset ?? 'utf-8').encoding)
  const source = body.toString('latin1').replace(/\r?\n$/, '') // as `curl --data-binary @file` sends it
  const fields = parseFields(source, limits.maxFields, (bytes) => decoder.decode(bytes))
  if (fields === undefined)
    throw malformed(
      'body',
      say('The form has more than {{maxFields}} fields', { maxFields: limits.maxFields }),
    )
  checkNames('body', fields, limits)
  return collectFields(fields)
}

function parseQuery(query: string, limits: WebhookLimits): Dictionary {
  const source = query.startsWith('?') ? query.slice(1) : query
  if (source === '') return NO_FIELDS
  const bytes = isLatin1(source) ? source : Buffer.from(source).toString('latin1')
  const fields = parseFields(bytes, limits.maxFields, (escaped) => escaped.toString())
  const names = new Set(fields?.map(([name]) => name))
  if (fields === undefined || names.size > limits.maxQueryNames) {
    throw malformed(
      'query',
      say('The query has more than {{maxQueryNames}} names', { maxQueryNames: limits.maxQueryNames }),
    )
  }
  checkNames('query', fields, limits)
  return collectFields(fields)
}

function checkNames(
  part: 'body' | 'query',
  fields: readonly Field[],
  { maxNameLength }: WebhookLimits,
): void {
  if (fields.some(([name]) => name.length > maxNameLength)) {
    throw malformed(
      part,
      say('A name in the {{part}} has more than {{maxNameLength}} characters', { part, maxNameLength }),
    )
  }
}

async function storeFiles(
  parts: readonly Part[],
  storeFile: StoreFile,
): Promise<ReadonlyMap<Part, ReceivedFile>> {
  const files = new Map<Part, ReceivedFile>()
  for (const part of parts) {
    if ('file' in part && !isEmptyChoice(part)) {
      const meta = { filename: part.file.filename, content_type: part.file.contentType }
      const stored = await storeFile(Readable.from([part.file.content]), meta)
      files.set(part, { ...meta, size: stored.size, file_id: stored.file_id })
    }
  }
  return files
}

function fieldsOf(parts: readonly Part[], files: ReadonlyMap<Part, ReceivedFile>): Field[] {
  return parts.map((part) => [part.name, 'text' in part ? part.text : (files.get(part) ?? null)])
}

/** Whether a part is the one that a browser sends for a file input without a selected file. */
function isEmptyChoice({ file }: FilePart): boolean {
  return file.filename === '' && file.content.length === 0
}

/** The query's value replaces the body's. */
function merge(body: Dictionary, query: Dictionary): Dictionary {
  const added = entriesOf(query)
  return added.length === 0 ? body : dictionaryOf([...entriesOf(body), ...added])
}

function asDictionary(value: Data): Dictionary {
  return isDictionary(value) ? value : dictionaryOf([['body', value]])
}

const NO_FIELDS = dictionaryOf([])

function only(kind: BodyKind, dictionary: Dictionary): ReadBody {
  return { kind, dictionary, parts: [] }
}

/** Always true for a request line; a URL built in code may contain other characters. */
function isLatin1(text: string): boolean {
  return Buffer.from(text, 'latin1').toString('latin1') === text
}
