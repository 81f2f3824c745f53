/** Receives an uploaded file: the only file of a multipart form, or the body itself. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Busboy } from 'busboy'
import { AppError, fieldErrors } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import { cleanFileName, fileNameIn } from '../../../shared/file-name.ts'
import { ClientGone } from '../answer/client-gone.ts'
import { hasBody } from './read-bytes.ts'

export interface Upload<T> {
  readonly filename: string
  readonly content_type: string
  readonly received: T
}

export interface ReadUploadOptions<T> {
  /** Only used if the body is the file itself; a form contains the file's name. */
  readonly filename: string | undefined
  readonly receive: (content: AsyncIterable<Uint8Array>) => Promise<T>
  /** Deletes the received file if the rest of the form is invalid. */
  readonly discard: (received: T) => Promise<void>
}

/**
 * Passes the bytes on as they arrive.
 *
 * @throws AppError `unsupported_media_type` (a compressed body), `validation` (no file, or several); ClientGone; errors
 *   of `receive`
 */
export function readUpload<T>(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReadUploadOptions<T>,
): Promise<Upload<T>> {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = request.headers
  if (encoding !== 'identity') {
    throw new AppError('unsupported_media_type', say('A file must be uploaded without a Content-Encoding'))
  }
  if (!hasBody(request))
    throw fieldErrors({ body: [say('is required: the file, or a form that contains it')] })
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue()
  return /^multipart\/form-data\b/i.test(type)
    ? readForm(request, options)
    : readWhole(request, type, options)
}

async function readWhole<T>(
  request: IncomingMessage,
  type: string,
  { filename, receive }: ReadUploadOptions<T>,
): Promise<Upload<T>> {
  const received = await receive(bytesOf(request))
  const named = cleanFileName(fileNameIn(request.headers['content-disposition'] ?? '') ?? '')
  return { filename: filename ?? (named || 'file'), content_type: contentType(type), received }
}

async function* bytesOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array
  } catch {
    throw new ClientGone() // only a lost connection ends a request early
  }
}

async function readForm<T>(
  request: IncomingMessage,
  { receive, discard }: ReadUploadOptions<T>,
): Promise<Upload<T>> {
  const parser = await createParser(request.headers['content-type'] ?? '')
  const uploads: Promise<Upload<T>>[] = []
  const left = new AbortController()
  parser.on('file', (_field, content, { filename, mimeType }) => {
    // A form can fail before anybody reads the file. Whoever reads it then gets the error.
    content.on('error', () => {})
    const received = receive(content)
    uploads.push(
      received.then((file) => ({
        filename: cleanFileName(filename ?? '') || 'file',
        content_type: contentType(mimeType),
        received: file,
      })),
    )
    // If receiving fails, so does the form; the rest of the file is discarded.
    received.catch((error: unknown) => {
      content.resume()
      left.abort(error)
    })
  })
  const parsed = new Promise<void>((resolve, reject) => {
    parser.once('close', resolve)
    parser.once('filesLimit', () =>
      reject(fieldErrors({ body: [say('contains several files; send one per request')] })),
    )
    parser.once('error', () => reject(fieldErrors({ body: [say('is a malformed multipart form')] })))
    request.once('close', () => (request.complete ? undefined : reject(new ClientGone())))
    request.once('error', () => reject(new ClientGone()))
    left.signal.addEventListener('abort', () => reject(left.signal.reason as Error))
  })
  request.pipe(parser)
  try {
    await parsed
    const [upload] = await Promise.all(uploads)
    if (upload === undefined)
      throw fieldErrors({ body: [say('contains no file; send one in a field of the form')] })
    return upload
  } catch (error) {
    request.unpipe(parser)
    parser.destroy()
    const settled = await Promise.allSettled(uploads)
    for (const one of settled) if (one.status === 'fulfilled') await discard(one.value.received)
    throw error
  }
}

async function createParser(type: string): Promise<Busboy> {
  const { default: busboy } = await import('busboy')
  try {
    return busboy({
      headers: { 'content-type': type },
      defParamCharset: 'utf8',
      limits: { files: 1, fields: 100, parts: 102, fieldSize: 64 * 1024 },
    })
  } catch {
    throw fieldErrors({ body: [say("isn't a multipart form: its Content-Type has no boundary")] })
  }
}

function contentType(header: string | undefined): string {
  return header !== undefined && /^[\x20-\x7e]{1,255}$/.test(header) ? header : 'application/octet-stream'
}
