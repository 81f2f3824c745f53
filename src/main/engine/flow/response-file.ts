/** An answer that is no text: kept as a file, so that later steps can send it on. */
import { isUtf8 } from 'node:buffer'
import { cleanFileName, decoded, fileNameIn } from '../../../shared/file-name.ts'
import { type Data, dictionaryOf } from '../data/value.ts'
import type { OutgoingResponse } from '../ports.ts'
import { headerValue } from '../request/headers.ts'
import type { StepScope } from './model/compiled-step.ts'

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
  const said = fileNameIn(headerValue(headers, 'content-disposition') ?? '')
  const name = said ?? decoded(URL.parse(url)?.pathname ?? '')
  return cleanFileName(name.split(/[/\\]/).at(-1) ?? '') || 'file'
}
