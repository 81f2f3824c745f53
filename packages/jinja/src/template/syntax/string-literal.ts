import { type Said, say } from '../../data/said.ts'
import CHARACTER_NAMES from './character-names.json' with { type: 'json' }

/** The content of a string literal with its escapes resolved as in Python; an error is a sentence. */
export function decodeString(body: string): { text: string } | { error: Said } {
  if (!body.includes('\\')) return { text: body }
  let text = ''
  for (let at = 0; at < body.length;) {
    const unit = body[at] ?? ''
    if (unit !== '\\') {
      text += unit
      at++
      continue
    }
    const escape = decodeEscape(body, at)
    if ('error' in escape) return escape
    text += escape.text
    at = escape.end
  }
  return { text }
}

type Escape = { readonly text: string; readonly end: number } | { readonly error: Said }

const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const HEX: Readonly<Record<string, readonly [digits: number, name: string]>> = {
  x: [2, '\\xXX'],
  u: [4, '\\uXXXX'],
  U: [8, '\\UXXXXXXXX'],
}

function decodeEscape(body: string, at: number): Escape {
  const kind = body[at + 1]
  if (kind === undefined) return { error: say`\\ at end of string` }
  const simple = SIMPLE[kind]
  if (simple !== undefined) return { text: simple, end: at + 2 }
  const hex = HEX[kind]
  if (hex !== undefined) return decodeHex(body, at, ...hex)
  if (kind === 'N') return decodeName(body, at)
  const octal = /^[0-7]{1,3}/.exec(body.slice(at + 1, at + 4))?.[0]
  if (octal !== undefined)
    return { text: String.fromCharCode(parseInt(octal, 8)), end: at + 1 + octal.length }
  return undecoded(body, at)
}

function decodeHex(body: string, at: number, digits: number, name: string): Escape {
  const text = body.slice(at + 2, at + 2 + digits)
  if (text.length < digits || /[^\da-fA-F]/.test(text)) return { error: say`truncated ${name} escape` }
  const code = parseInt(text, 16)
  if (code > 0x10ffff) return { error: say`illegal Unicode character` }
  return { text: String.fromCodePoint(code), end: at + 2 + digits }
}

/**
 * Latin, Greek, punctuation, currency, arrows, mathematics and common symbols. All of Unicode would take a megabyte for
 * an escape that hardly anyone uses. The names are only read when the first one is needed.
 */
let codes: ReadonlyMap<string, string> | undefined

function codeNamed(name: string): string | undefined {
  codes ??= new Map(
    CHARACTER_NAMES.flatMap((line) => line.split(';')).map((entry): [string, string] => {
      const [character = '', code = ''] = entry.split('=')
      return [character, code]
    }),
  )
  return codes.get(name.toUpperCase())
}

function decodeName(body: string, at: number): Escape {
  const name = /^\{([^}]+)\}/.exec(body.slice(at + 2, at + 102))?.[1]
  if (name === undefined) return { error: say`malformed \\N character escape` }
  const code = codeNamed(name)
  if (code === undefined) return { error: say`unknown Unicode character name` }
  return { text: String.fromCodePoint(parseInt(code, 16)), end: at + 4 + name.length }
}

/** An unknown escape is kept as written; before a non-ASCII character Python keeps that character's own escape. */
function undecoded(body: string, at: number): Escape {
  const code = body.codePointAt(at + 1) ?? 0
  const character = String.fromCodePoint(code)
  const end = at + 1 + character.length
  if (code < 0x80) return { text: `\\${character}`, end }
  const [letter, digits]: [string, number] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8]
  return { text: `\\${letter}${code.toString(16).padStart(digits, '0')}`, end }
}
