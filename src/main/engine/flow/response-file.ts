/** An answer that is no text: kept as a file, so that later steps can send it on. */
import { isUtf8 } from 'node:buffer'
import { type Data, dictionaryOf } from '../data/value.ts'
import type { OutgoingResponse } from '../ports.ts'
import { headerValue } from '../request/headers.ts'
import type { StepScope } from './step-runner.ts'

/** `{filename, content_type, size, file_id}` as of files that are received; null where the answer is a text. */
export async function keepResponseFile(response: OutgoingResponse, scope: StepScope): Promise<Data | null> {
  const type = headerValue(response.headers, 'content-type') ?? ''
  if (!isFile(type, response.body)) return null
  const filename = nameOf(response)
  const contentType = type.split(';')[0]?.trim() || 'application/octet-stream'
  const file = { filename, contentType, content: response.body }
  return dictionaryOf([
    ['filename', filename],
    ['content_type', contentType],
    ['size', response.body.length],
    ['file_id', await scope.ports.keepFile(file, scope.runId)],
  ])
}

/** Files by their type; of other types those whose bytes no text has. */
function isFile(type: string, body: Uint8Array): boolean {
  if (body.length === 0) return false
  if (/^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip)\b)/i.test(type)) return true
  const saysText = /^text\/|[/+](?:json|xml)\b|charset=/i.test(type)
  const hasMark = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)
  return type !== '' && !saysText && !hasMark && !isUtf8(body)
}

/** What the server calls it, else the end of the address. */
function nameOf({ headers, url }: OutgoingResponse): string {
  const disposition = headerValue(headers, 'content-disposition') ?? ''
  const [, encoded] = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition) ?? []
  const [, quoted, bare] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition) ?? []
  const said = encoded === undefined ? (quoted?.replaceAll(/\\(.)/g, '$1') ?? bare) : decoded(encoded)
  const last = said ?? decoded(URL.parse(url)?.pathname.split('/').at(-1) ?? '')
  // oxlint-disable-next-line no-control-regex -- a name in a header
  const name = (last.split(/[/\\]/).at(-1) ?? '').replaceAll(/[\u0000-\u001f\u007f]/g, '').trim()
  return name.slice(0, 255) || 'file'
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
