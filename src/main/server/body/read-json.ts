import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say } from '../../../shared/contract/base/message.ts'
import type { JsonCodec } from '../../services/kit/ports.ts'
import { hasBody, readBytes, type ReadBytesOptions } from './read-bytes.ts'

/**
 * The JSON value of a request; undefined if it has no body.
 *
 * @throws AppError `unsupported_media_type`, `too_large`, `validation`, in this order
 */
export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  { json, ...limits }: ReadBytesOptions & { readonly json: JsonCodec },
): Promise<unknown> {
  if (!hasBody(request)) return undefined
  requireJsonType(request.headers['content-type'])
  const bytes = await readBytes(request, response, limits)
  if (bytes.length === 0) return undefined
  const text = decodeUtf8(bytes)
  if (bytes.length < LARGE_BYTES) return json.parse(text)
  const value = await json.parseLarge(text)
  // Processing the value takes time, so other requests are served first.
  await nextTurn()
  return value
}

/** A body without a type is treated as JSON, the API's only type. */
function requireJsonType(header: string | undefined): void {
  if (header === undefined) return
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json' && !/^application\/[\w.-]{1,100}\+json$/.test(type)) {
    throw new AppError(
      'unsupported_media_type',
      say('Unsupported Content-Type "{{type}}"; send application/json', { type: type.slice(0, 60) }),
    )
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw new AppError(
      'unsupported_media_type',
      say('JSON must be UTF-8, not "{{charset}}"', { charset: charset.slice(0, 40) }),
    )
  }
}

const LARGE_BYTES = 262_144

/**
 * Decodes bytes to a string; drops a byte order mark at the start.
 *
 * @throws AppError `validation` if the bytes aren't UTF-8
 */
function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new AppError('validation', say("The body isn't valid UTF-8"))
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return bytes.toString('utf8', start)
}
