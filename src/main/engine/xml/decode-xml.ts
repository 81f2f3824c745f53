/** A charset nobody knows; bytes that do not fit a known one are a TypeError of TextDecoder. */
export class UnknownCharsetError extends Error {
  override readonly name = 'UnknownCharsetError'
  readonly charset: string

  constructor(charset: string) {
    super(`Unknown charset "${charset.slice(0, 40)}"`)
    this.charset = charset
  }
}

/**
 * Turns the bytes of an XML document into text by its byte-order mark, else by the header's charset, else by
 * its own declaration, else as UTF-8 (RFC 7303, 3; XML 1.0, appendix F).
 *
 * @throws UnknownCharsetError
 * @throws TypeError for bytes that are not of that charset
 */
export function decodeXml(bytes: Uint8Array, headerCharset: string | null): string {
  return decodeText(bytes, charsetByMark(bytes) ?? headerCharset ?? declaredCharset(bytes))
}

/** @throws UnknownCharsetError, TypeError as above */
export function decodeText(bytes: Uint8Array, charset: string): string {
  return charset === 'utf-8' ? STRICT_UTF8.decode(bytes) : createDecoder(charset).decode(bytes)
}

/** A decoder is made anew for each text but of the charset that nearly all have: making one takes longer than using it. */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Strict: refuses bytes that are not of the charset. */
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
  // A declaration that could be read byte by byte is not UTF-16, whatever it says; programs that print text say so.
  return /^(?:utf-?16|ucs-?2|iso-10646-ucs-2)/i.test(declared) ? 'utf-8' : declared
}

const DECLARED_ENCODING = /^<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/
