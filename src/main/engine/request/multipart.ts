import {
  type Data,
  type Dictionary,
  entriesOf,
  getKey,
  isDictionary,
  isList,
  keysOf,
} from '@millrace/jinja/data'
import type { HeaderLine, Random } from '../ports.ts'
import { valueText } from './query-string.ts'

export interface BodyFile {
  readonly filename: string
  readonly contentType: string
  readonly content: Uint8Array
}

interface MultipartPart {
  readonly name: string
  readonly content: string | Uint8Array
  readonly filename?: string
  readonly contentType?: string
}

export interface MultipartPorts {
  readonly random: Random
  /** Throws if there is no such file. */
  readonly openFile: (id: Data) => BodyFile
}

/**
 * Writes `multipart/form-data` (RFC 7578). A list becomes several parts with the same name; an object with a `file_id`
 * becomes that file, one with `content` and a `content_type` or `filename` a part of that type, and any other object
 * JSON. Null becomes no part.
 */
export function writeMultipart(
  fields: Dictionary,
  { random, openFile }: MultipartPorts,
): { readonly content: Uint8Array; readonly boundary: string } {
  const boundary = `millrace-${digits(random)}${digits(random)}`
  const parts = entriesOf(fields).flatMap(([name, value]) =>
    (isList(value) ? value : [value]).flatMap((item) => toPart(name, item, openFile)),
  )
  const pieces = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`, 'utf8'),
    Buffer.from(part.content),
    Buffer.from('\r\n'),
  ])
  return { content: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]), boundary }
}

/**
 * Adds the boundary to a form's content type, because its author can't know it. A boundary that the author set is
 * replaced.
 */
export function withBoundary([name, value]: HeaderLine, boundary: string): HeaderLine {
  if (name.toLowerCase() !== 'content-type') return [name, value]
  return [name, `${value.replace(/;\s*boundary=[^;]*/i, '')}; boundary=${boundary}`]
}

function toPart(name: string, value: Data, openFile: MultipartPorts['openFile']): MultipartPart[] {
  if (value === null) return []
  if (!isDictionary(value)) return [{ name, content: valueText(value) }]
  const said = { filename: textAt(value, 'filename'), contentType: textAt(value, 'content_type') }
  const id = getKey(value, 'file_id')
  if (id !== undefined) {
    const file = openFile(id)
    return [
      {
        name,
        content: file.content,
        filename: said.filename || file.filename,
        contentType: said.contentType || file.contentType,
      },
    ]
  }
  if (!isPart(value)) return [{ name, content: valueText(value) }]
  return [{ name, content: valueText(getKey(value, 'content') ?? null), ...said }]
}

/** Whether an object is like `{content, content_type, filename}`, with at least one of the last two. */
function isPart(value: Dictionary): boolean {
  const keys = keysOf(value)
  return keys.length > 1 && keys.includes('content') && keys.every((key) => PART_KEYS.has(key))
}

const PART_KEYS: ReadonlySet<string> = new Set(['content', 'content_type', 'filename'])

function textAt(value: Dictionary, key: string): string {
  const found = getKey(value, key)
  return found === undefined ? '' : valueText(found)
}

function headOf({ name, filename = '', contentType = '' }: MultipartPart): string {
  const file = filename === '' ? '' : `; filename="${escape(filename)}"`
  const type = /^[\x20-\x7e]+$/.test(contentType)
    ? contentType
    : file === ''
      ? ''
      : 'application/octet-stream'
  return `Content-Disposition: form-data; name="${escape(name)}"${file}${type === '' ? '' : `\r\nContent-Type: ${type}`}`
}

/** Escapes as browsers do, so that no name can inject a header or a part. */
function escape(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Enough random digits that no content contains the boundary by chance. */
function digits(random: Random): string {
  return Math.floor(random() * 2 ** 48)
    .toString(36)
    .padStart(10, '0')
}
