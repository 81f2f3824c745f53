import { charsetByMark, decodeText } from '../data/decode-text.ts'

/**
 * Decodes the bytes of an XML document by the first of these that exists: its byte-order mark, the header's charset,
 * its own declaration; or else as UTF-8 (RFC 7303, 3; XML 1.0, appendix F).
 *
 * @throws UnknownCharsetError
 * @throws TypeError for bytes that don't match the charset
 */
export function decodeXml(bytes: Uint8Array, headerCharset: string | null): string {
  return decodeText(bytes, charsetByMark(bytes) ?? headerCharset ?? declaredCharset(bytes))
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

// linear: anchored, with at most 100 places to start at
const DECLARED_ENCODING = /^<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/
