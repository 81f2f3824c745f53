import type { Random } from '../ports.ts'
import type { StoredFile } from './model/ports.ts'

export type MultipartPart =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: StoredFile }

/** Writes `multipart/form-data` (RFC 7578). Names are escaped as browsers do, so none can add a header or a part. */
export function writeMultipart(
  parts: readonly MultipartPart[],
  random: Random,
): { content: Uint8Array; contentType: string } {
  const boundary = `millrace-${digits(random)}${digits(random)}`
  const pieces = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`, 'utf8'),
    'file' in part ? part.file.content : Buffer.from(part.text, 'utf8'),
    Buffer.from('\r\n'),
  ])
  return {
    content: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}

function headOf(part: MultipartPart): string {
  const disposition = `Content-Disposition: form-data; name="${escape(part.name)}"`
  if (!('file' in part)) return disposition
  const type = /^[\x20-\x7e]+$/.test(part.file.contentType)
    ? part.file.contentType
    : 'application/octet-stream'
  return `${disposition}; filename="${escape(part.file.filename)}"\r\nContent-Type: ${type}`
}

function escape(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Random digits enough that no content holds the boundary by chance. */
function digits(random: Random): string {
  return Math.floor(random() * 2 ** 48)
    .toString(36)
    .padStart(10, '0')
}
