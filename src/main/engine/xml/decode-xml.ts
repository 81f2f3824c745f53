/** An unknown charset; for bytes that don't match a known one, TextDecoder throws a TypeError. */
export class UnknownCharsetError extends Error {
  override readonly name = 'UnknownCharsetError'
  readonly charset: string

  constructor(charset: string) {
    super(`Unknown charset "${charset.slice(0, 40)}"`)
    this.charset = charset
  }
}

/**
 * Decodes the bytes of an XML document by its byte-order mark, otherwise by the header's charset, otherwise by its own
 * declaration, otherwise as UTF-8 (RFC 7303, 3; XML 1.0, appendix F).
 *
 * @throws UnknownCharsetError
 * @throws TypeError for bytes that don't match the charset
 */
export function decodeXml(bytes: Uint8Array, headerCharset: string | null): string {
  return decodeText(bytes, charsetByMark(bytes) ?? headerCharset ?? declaredCharset(bytes))
}

/** @throws UnknownCharsetError, TypeError as above */
export function decodeText(bytes: Uint8Array, charset: string): string {
  return charset === 'utf-8' ? STRICT_UTF8.decode(bytes) : createDecoder(charset).decode(bytes)
}

/** Kept for UTF-8, which nearly all documents use: creating a decoder takes longer than using it. */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Strict: rejects bytes that don't match the charset. */
export function createDecoder(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch (cause) {
    if (cause instanceof RangeError) throw new UnknownCharsetError(charset)
    throw cause
  }
}

function charsetByMark(bytes: Uint8Array): string | null {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return null
}

function declaredCharset(bytes: Uint8Array): string {
  const [a, b] = bytes
  if (a === 0x3c && b === 0) return 'utf-16le'
  if (a === 0 && b === 0x3c) return 'utf-16be'
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  const declared = DECLARED_ENCODING.exec(start)?.[1] ?? 'utf-8'
  // A declaration that was readable byte by byte can't be in UTF-16, even if it says so; programs that serialize to a
  // string do that.
  return /^(?:utf-?16|ucs-?2|iso-10646-ucs-2)/i.test(declared) ? 'utf-8' : declared
}

const DECLARED_ENCODING = /^<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/
