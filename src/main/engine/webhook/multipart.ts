import { say } from '../../../shared/contract/base/message.ts'
import { Readable } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import busboy from 'busboy'
import { cleanFileName } from '../../../shared/file-name.ts'
import { malformed, unsupported } from './input-error.ts'

/** A part of a form: a text field, or a file whose content hasn't been stored yet. */
export type Part = TextPart | FilePart

interface TextPart {
  readonly name: string
  readonly text: string
}

export interface FilePart {
  readonly name: string
  readonly file: UploadedFile
}

interface UploadedFile {
  /** One line without folders, at most 255 characters; empty if none was sent. */
  readonly filename: string
  readonly contentType: string
  readonly content: Buffer
}

export interface MultipartLimits {
  readonly maxFields: number
  readonly maxFiles: number
  readonly maxNameLength: number
}

/**
 * @throws AppError `validation` for a form that is malformed or too large, `unsupported_media_type` for a part's
 * charset
 */
export function parseMultipart(body: Buffer, contentType: string, limits: MultipartLimits): Promise<Part[]> {
  return new Promise((resolve, reject) => {
    const parser = createParser(contentType, body.length, limits)
    const parts: Part[] = []
    const fail = (error: Error): void => {
      reject(error)
      parser.destroy()
    }
    const checkName = (name: string | undefined): name is string => {
      if (name === undefined) fail(malformed('body', say('A part of the form has no name')))
      else if (name.length > limits.maxNameLength) {
        fail(
          malformed(
            'body',
            say('A name in the form has more than {{maxNameLength}} characters', {
              maxNameLength: limits.maxNameLength,
            }),
          ),
        )
      } else return true
      return false
    }
    parser.on('field', (name: string | undefined, text: string | undefined) => {
      if (!checkName(name)) return
      if (text === undefined)
        fail(unsupported(say('Unknown charset of the field "{{name}}"', { name: name.slice(0, 60) })))
      else parts.push({ name, text })
    })
    parser.on('file', (name: string | undefined, stream, { filename, mimeType }) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', () => undefined) // the parser reports it
      if (!checkName(name)) return
      const place = parts.length
      parts.push({ name, text: '' })
      stream.on('end', () => {
        const content = Buffer.concat(chunks)
        parts[place] = {
          name,
          file: { filename: cleanFileName(filename ?? ''), contentType: mimeType, content },
        }
      })
    })
    parser.on('fieldsLimit', () => {
      fail(
        malformed(
          'body',
          say('The form has more than {{maxFields}} fields', { maxFields: limits.maxFields }),
        ),
      )
    })
    parser.on('filesLimit', () => {
      fail(malformed('body', say('The form has more than {{maxFiles}} files', { maxFiles: limits.maxFiles })))
    })
    parser.on('partsLimit', () => {
      fail(
        malformed(
          'body',
          say('The form has more than {{count}} parts', { count: limits.maxFields + limits.maxFiles }),
        ),
      )
    })
    parser.on('error', (cause: unknown) => {
      fail(malformed('body', say('The multipart form is malformed: its parts or its end are missing'), cause))
    })
    parser.on('close', () => resolve(parts))
    Readable.from(slicesOf(body)).pipe(parser)
  })
}

/** Field and file sizes need no limit below that of the whole body, which is already in memory. */
function createParser(contentType: string, size: number, limits: MultipartLimits): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      limits: {
        fields: limits.maxFields,
        files: limits.maxFiles,
        parts: limits.maxFields + limits.maxFiles + 1, // busboy reports reaching the limit, not exceeding it
        fieldSize: size + 1,
        fileSize: size + 1,
      },
    })
  } catch (cause) {
    throw malformed(
      'body',
      say(
        'A multipart body must be sent as "multipart/form-data; boundary=…", with the boundary of its parts',
      ),
      cause,
    )
  }
}

/**
 * After an error busboy still processes its current chunk and emits every further error, so the chunks are small. Parts
 * with very many parameters take long, so other work gets its turn in between.
 */
async function* slicesOf(body: Buffer): AsyncGenerator<Buffer> {
  let since = performance.now()
  for (let start = 0; start < body.length; start += SLICE_BYTES) {
    yield body.subarray(start, start + SLICE_BYTES)
    if (performance.now() - since < TURN_MS) continue
    await yieldToEventLoop()
    since = performance.now()
  }
}

const SLICE_BYTES = 8_192
const TURN_MS = 10
