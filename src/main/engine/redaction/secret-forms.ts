/** Shorter values occur by chance, and hiding them would make the output unreadable. */
export const MIN_SECRET_LENGTH = 12

/**
 * The spellings that a secret can have in output: plain, escaped for JSON (once and twice), XML and Python,
 * percent-encoded in the ways that programs do it, and base64, by itself or inside something longer.
 */
export function formsOfSecret(secret: string): string[] {
  const plain = secret.toWellFormed()
  if (plain.length < MIN_SECRET_LENGTH) return []
  if (UNCHANGED.test(plain)) return [plain, ...new Set(base64Forms(plain))].filter(isLongEnough)
  const forms = [
    plain,
    ...jsonForms(plain),
    ...percentForms(plain),
    ...xmlForms(plain),
    plain.replaceAll(/[\\']/g, '\\$&'),
    // The form seen by a server that reads each byte of a header as one character.
    Buffer.from(plain).toString('latin1'),
    ...base64Forms(plain),
  ]
  return [...new Set(forms)].filter(isLongEnough)
}

const isLongEnough = (form: string) => form.length >= MIN_SECRET_LENGTH

/** Strings that look the same in every encoding, as most tokens do. */
const UNCHANGED = /^[\w.-]*$/

function jsonForms(text: string): string[] {
  const once = escapeJson(text)
  const forms = [once, escapeJson(once), once.replaceAll('/', '\\/')]
  const upper = escapeWide(once, (hex) => hex.toUpperCase())
  return [...forms, upper, escapeWide(once, (hex) => hex)]
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Escapes every non-ASCII character, as Python's json.dumps does. */
function escapeWide(text: string, spell: (hex: string) => string): string {
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`
  })
}

/** Programs differ in how they encode `!'()*~`, slashes and spaces, and in the case of the hex digits. */
function percentForms(text: string): string[] {
  if (UNCHANGED.test(text)) return [text]
  const component = encodeURIComponent(text)
  const strict = component.replaceAll(/[!'()*]/g, percent)
  const form = new URLSearchParams({ x: text }).toString().slice(2)
  const forms = [component, strict, form, encodeURI(text)]
  const spellings = forms.flatMap((spelling) => [
    spelling,
    spelling.replaceAll('%20', '+'),
    spelling.replaceAll('%2F', '/'),
    spelling.replaceAll('~', '%7E'),
  ])
  return spellings.flatMap((spelling) => [
    spelling,
    spelling.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  ])
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`
}

function xmlForms(text: string): string[] {
  const content = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const attribute = content.replaceAll('"', '&quot;')
  return [
    content,
    attribute,
    attribute.replaceAll("'", '&#39;'),
    attribute.replaceAll("'", '&apos;'),
    content.replaceAll('"', '&#34;').replaceAll("'", '&#39;'), // as written by the filter `escape`
  ]
}

/**
 * In `base64("user:secret")` the secret begins zero, one or two bytes into a group of three. For each case, the part
 * that doesn't depend on its neighbors is searched for.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text)
  const pieces = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const first = Math.ceil((shift * 8) / 6)
    return encoded.slice(first, Math.floor(((shift + bytes.length) * 8) / 6))
  })
  return [bytes.toString('base64'), ...pieces].flatMap((piece) => [
    piece,
    piece.replaceAll('+', '-').replaceAll('/', '_'),
    piece.replaceAll('/', '\\/'),
    ...percentForms(piece),
  ])
}
