import { say } from '../../../shared/contract/base/message.ts'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { malformed, tooLarge, unsupported } from './input-error.ts'

/**
 * Decodes the Content-Encoding of a body, beginning with the last one named.
 *
 * @throws AppError `too_large` as soon as the output exceeds `maxBytes`, `unsupported_media_type`, `validation`
 */
export async function decodeContent(
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const encodings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (encodings.length > MAX_ENCODINGS)
    throw unsupported(say('At most {{most}} content encodings are supported', { most: MAX_ENCODINGS }))
  let decoded = body
  for (const encoding of encodings.reverse()) decoded = await decode(decoded, encoding, maxBytes)
  return decoded
}

async function decode(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const decoder = DECODERS.get(encoding)
  if (decoder === undefined) {
    throw unsupported(
      say('Unknown content encoding "{{encoding}}"; send gzip, deflate, br or none', {
        encoding: encoding.slice(0, 40),
      }),
    )
  }
  try {
    return await decoder(body, { maxOutputLength: maxBytes })
  } catch (cause) {
    if (isTooLong(cause)) throw tooLarge(say('The decompressed body'), maxBytes)
    throw malformed(
      'body',
      say("The body isn't valid {{encoding}}, its content encoding", { encoding }),
      cause,
    )
  }
}

type Decoder = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const gunzip: Decoder = promisify(zlib.gunzip)
const inflate: Decoder = promisify(zlib.inflate)
const inflateRaw: Decoder = promisify(zlib.inflateRaw)
const brotliDecompress: Decoder = promisify(zlib.brotliDecompress)

/** `deflate` means zlib's format, but some clients send it without zlib's header. */
const deflated: Decoder = (body, options) =>
  ((body[0] ?? 0) & 0x0f) === 8 ? inflate(body, options) : inflateRaw(body, options)

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', deflated],
  ['br', brotliDecompress],
])

const MAX_ENCODINGS = 2

function isTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}
