import { wordsOf } from '../text/white-space.ts'
import { ENTITIES, LEGACY_ENTITIES } from './html-entities.ts'

/** Converts HTML to text: without comments and tags, white space collapsed to single spaces, entities decoded. */
export function stripTags(html: string): string {
  const text = removeBetween(removeBetween(html, '<!--', '-->'), '<', '>')
  return unescapeHtml(wordsOf(text).join(' '))
}

function removeBetween(text: string, open: string, close: string): string {
  let result = ''
  let from = 0
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start)
    if (end === -1) break
    result += text.slice(from, start)
    from = end + close.length
  }
  return result + text.slice(from)
}

/** Decodes character references by the rules of HTML. */
export function unescapeHtml(text: string): string {
  return text.replace(
    /&(#\d{1,8};?|#[xX][\da-fA-F]{1,8};?|[A-Za-z][A-Za-z\d]{1,31};?)/g,
    (whole, name: string) =>
      name.startsWith('#') ? numericReference(name) : (namedReference(name) ?? whole),
  )
}

function numericReference(name: string): string {
  const code = /^#[xX]/.test(name) ? parseInt(name.slice(2), 16) : parseInt(name.slice(1), 10)
  const windows = WINDOWS_1252[code - 0x80]
  if (code >= 0x80 && code <= 0x9f && windows !== undefined) return windows
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd'
  if (code === 0x0d) return '\r'
  const invisible =
    (code < 0x20 && code !== 9 && code !== 10 && code !== 12) || code === 0x7f || code === 0x0b
  return invisible ? '' : String.fromCodePoint(code)
}

function namedReference(name: string): string | undefined {
  if (name.endsWith(';')) return ENTITIES.get(name.slice(0, -1)) ?? legacyReference(name)
  return legacyReference(name)
}

/** The longest prefix of the name that is recognized without a semicolon. */
function legacyReference(name: string): string | undefined {
  for (let end = name.length; end > 1; end--) {
    const start = name.slice(0, end)
    if (LEGACY_ENTITIES.has(start)) return (ENTITIES.get(start) ?? '') + name.slice(end)
  }
  return undefined
}

/** How browsers interpret the numbers 128 to 159. */
const WINDOWS_1252 = Array.from('€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ')
