/** Shorter values turn up in text by chance, and hiding them would hide the text. */
export const MIN_SECRET_LENGTH = 12

/**
 * The spellings a secret may have in what is shown: plain, escaped for JSON (once and twice), for XML and for
 * Python, percent-encoded the ways programs do it, and base64, on its own or inside something longer.
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
    // As a server has it that takes the bytes of a header for one character each.
    Buffer.from(plain).toString('latin1'),
    ...base64Forms(plain),
  ]
  return [...new Set(forms)].filter(isLongEnough)
}

const isLongEnough = (form: string) => form.length >= MIN_SECRET_LENGTH

/** What is written the same way everywhere, as most tokens are. */
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

/** As Python's json.dumps has it: everything beyond ASCII as an escape. */
function escapeWide(text: string, spell: (hex: string) => string): string {
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${spell(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`
  })
}

/** Programs differ in `!'()*~` and the slash, in the space, and in the case of the digits. */
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
    content.replaceAll('"', '&#34;').replaceAll("'", '&#39;'), // as the filter `escape` has it
  ]
}

/**
 * In `base64("user:secret")` the secret begins one, two or no bytes into a group of three; what does not
 * depend on its neighbours is the same in each, and is what is looked for.
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
