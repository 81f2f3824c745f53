/** Hides secrets in received data before it is read: as text or bytes, in any of the usual encodings. */
import { formsOfSecret } from './secret-forms.ts'
import { replaceSpans } from './redactor.ts'
import { TextMatcher } from './text-matcher.ts'

export interface ByteHider {
  readonly hideText: (text: string) => string
  readonly hideBytes: (bytes: Uint8Array) => Uint8Array
}

/** Null if all secrets are too short to be searched for. */
export function createByteHider(secrets: readonly string[]): ByteHider | null {
  const forms = secrets.flatMap(formsOfSecret)
  if (forms.length === 0) return null
  const matcher = new TextMatcher(forms.flatMap(asBytes))
  const hideText = (text: string) => replaceSpans(text, matcher.find(text))
  return {
    hideText,
    hideBytes(bytes) {
      // Reads one character for each byte, so that bytes that aren't text stay unchanged.
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
      const plain = MAY_ESCAPE.test(text) ? withoutEscapes(text) : text
      const isEscaped = plain !== text && matcher.find(plain).length > matcher.find(text).length
      const hidden = hideText(isEscaped ? plain : text)
      return hidden === text ? bytes : Buffer.from(hidden, 'latin1')
    },
  }
}

/** The string in UTF-8 and UTF-16, read byte by byte. */
function asBytes(form: string): readonly string[] {
  const wide = Buffer.from(form, 'utf16le')
  const forms = [Buffer.from(form).toString('latin1'), wide.toString('latin1')]
  return [form, ...forms, Buffer.from(wide).swap16().toString('latin1')]
}

const MAY_ESCAPE = /\\[u/]|&#/

/** Replaces the escapes of characters that needn't be escaped, because programs differ in which ones they escape. */
function withoutEscapes(text: string): string {
  return text
    .replaceAll(/\\(?:u00([2-7][\da-f])|[^])/gi, (whole, hex?: string) => {
      if (hex === undefined) return whole === String.raw`\/` ? '/' : whole
      return plainOr(whole, Number.parseInt(hex, 16))
    })
    .replaceAll(/&#(?:x0{0,4}([2-7][\da-f])|0{0,4}(\d{2,3}));/gi, (whole, hex?: string, digits?: string) =>
      plainOr(whole, hex === undefined ? Number(digits) : Number.parseInt(hex, 16)),
    )
}

/** Characters that are special in JSON or XML stay escaped. */
function plainOr(whole: string, code: number): string {
  const char = String.fromCharCode(code)
  return code < 0x20 || code > 0x7e || '"\\&<>\''.includes(char) ? whole : char
}
