import { SaidError, say } from './said.ts'

/** Decodes text in the charsets that are in common use. */

/** Thrown for an unknown charset. For bytes that don't match a known one, TextDecoder throws a TypeError. */
export class UnknownCharsetError extends SaidError {
  override readonly name = 'UnknownCharsetError'
  readonly charset: string

  constructor(charset: string) {
    super(say`Unknown charset "${charset.slice(0, 40)}"`)
    this.charset = charset
  }
}

/** @throws UnknownCharsetError, TypeError for bytes that don't match the charset */
export function decodeText(bytes: Uint8Array, charset: string): string {
  return charset === 'utf-8' ? STRICT_UTF8.decode(bytes) : createDecoder(charset).decode(bytes)
}

/**
 * Decodes a file that a user saved, by its byte-order mark or else by the charset. Editors and PowerShell on Windows
 * write UTF-16 with a mark.
 *
 * @throws UnknownCharsetError, TypeError for bytes that don't match the charset
 */
export function decodeFile(bytes: Uint8Array, charset = 'utf-8'): string {
  return decodeText(bytes, charsetByMark(bytes) ?? charset)
}

/** Cached for UTF-8, which nearly all documents use, because creating a decoder takes longer than using it. */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true })

/** The decoder is strict: it rejects bytes that don't match the charset. */
export function createDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch (cause) {
    if (cause instanceof RangeError) throw new UnknownCharsetError(charset)
    throw cause
  }
}

/** Null if the text has no byte-order mark. */
export function charsetByMark(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return null
}

/** Whether decoding failed because the bytes don't match the charset. */
export function isUndecodable(error: unknown): error is TypeError {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
}
