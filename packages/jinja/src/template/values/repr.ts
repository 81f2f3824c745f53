import { say } from '../../data/said.ts'
import { typeFault } from '../base/faults.ts'
import { checkTextSize, current, limitFault, spend } from '../base/limits.ts'
import { Dict, List } from './containers.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, Float, Markup, Tuple, type Value } from '../base/value.ts'

/** Python's `str()`: how a value is printed. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isInteger(value) ? intText(value) : floatText(value)
  if (value instanceof Markup) return value.text
  if (value instanceof Undefined) return ''
  return repr(value)
}

/** Python's `repr()`: the form of a value that is printed inside a list. */
export function repr(value: Value): string {
  const text = new Writer().write(value)
  checkTextSize(text.length)
  return text
}

/** Python's `repr()` of a float: the fewest digits that parse to the same value. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Object.is(value, -0)) return '-0.0'
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
  }
  const digits = String(value)
  return digits.includes('.') ? digits : `${digits}.0`
}

/** As in Python, larger integers can't be converted to strings. */
const MAX_INTEGER_DIGITS = 4300

export function integerText(value: bigint): string {
  const bits = value.toString(16).length * 4
  if (bits / 3.33 > MAX_INTEGER_DIGITS + 2 || value.toString().replace('-', '').length > MAX_INTEGER_DIGITS) {
    throw typeFault(say`Exceeds the limit (${MAX_INTEGER_DIGITS} digits) for integer string conversion`)
  }
  return value.toString()
}

/** Python's `repr()` of a string: the quote that needs no escaping, with unprintable characters escaped. */
export function quoteText(text: string): string {
  spend(text.length / 8)
  if (PLAIN.test(text)) return `'${text}'`
  spend(text.length)
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const body = text.replace(quote === "'" ? ESCAPED : ESCAPED_IN_DOUBLE, escapeCharacter)
  return quote + body + quote
}

const PLAIN = /^[ !#-&(-[\]-~]*$/
const ESCAPED = /['\\]|(?! )[\p{C}\p{Z}]/gu
const ESCAPED_IN_DOUBLE = /\\|(?! )[\p{C}\p{Z}]/gu

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\r') return '\\r'
  if (character === '\t') return '\\t'
  const code = character.codePointAt(0) ?? 0
  if (code === 0x5c || code === 0x27) return `\\${character}`
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`
  return `\\U${code.toString(16).padStart(8, '0')}`
}

/** Python's `repr()` of bytes. */
export function bytesText({ bytes }: Bytes): string {
  spend(bytes.length)
  let body = ''
  const quote = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'"
  for (const byte of bytes) body += escapeByte(byte, quote)
  return `b${quote}${body}${quote}`
}

function escapeByte(byte: number, quote: string): string {
  const character = String.fromCharCode(byte)
  if (byte === 0x0a) return '\\n'
  if (byte === 0x0d) return '\\r'
  if (byte === 0x09) return '\\t'
  if (character === '\\' || character === quote) return `\\${character}`
  return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, '0')}`
}

/** Writes a value with its contents at any depth; a value that contains itself is written once. */
class Writer {
  private readonly open: Value[] = []
  private length = 0

  write(value: Value): string {
    spend(1)
    if (typeof value === 'string') return this.count(quoteText(value))
    if (typeof value === 'number') return Number.isInteger(value) ? intText(value) : floatText(value)
    if (value === null) return 'None'
    if (typeof value === 'boolean') return value ? 'True' : 'False'
    if (typeof value === 'bigint') return this.count(integerText(value))
    if (value instanceof Float) return floatText(value.value)
    if (value instanceof Markup) return this.count(`Markup(${quoteText(value.text)})`)
    if (value instanceof Bytes) return this.count(bytesText(value))
    return this.writeContainer(value)
  }

  private writeContainer(value: Exclude<Value, string | number | null | boolean | bigint | Float>): string {
    if (!(value instanceof List || value instanceof Dict || value instanceof Tuple)) return value.repr()
    if (this.open.includes(value)) return value instanceof Dict ? '{...}' : '[...]'
    if (this.open.length >= current.limits.nesting) throw limitFault('nesting')
    this.open.push(value)
    try {
      if (value instanceof Dict) {
        return `{${value
          .pairs()
          .map(([key, item]) => `${this.write(key)}: ${this.write(item)}`)
          .join(', ')}}`
      }
      const items = value instanceof Tuple ? value.items : value.values()
      const text = items.map((item) => this.write(item)).join(', ')
      if (value instanceof List) return `[${text}]`
      return items.length === 1 ? `(${text},)` : `(${text})`
    } finally {
      this.open.pop()
    }
  }

  /** Stops before the result exceeds the maximum size of a value. */
  private count(text: string): string {
    this.length += text.length
    if (this.length > current.limits.valueBytes) throw limitFault('valueBytes')
    return text
  }
}

function intText(value: number): string {
  return Number.isSafeInteger(value) ? String(value + 0) : BigInt(value).toString()
}
