import { say } from '../../data/said.ts'
import { current, checkTextSize, limitFault, spend } from '../base/limits.ts'
import { typeFault } from '../base/faults.ts'
import { needInt } from '../methods/arguments.ts'
import { Dict, List } from '../values/containers.ts'
import { sortValues } from '../values/order.ts'
import { floatText, integerText } from '../values/repr.ts'
import { typeName } from '../values/truth.ts'
import { Float, Markup, Tuple, type Value } from '../base/value.ts'
import { type Filter, filter } from '../calls/operation.ts'

export const JSON_FILTERS: readonly Filter[] = [
  filter('tojson', 'indent=none', 'Converts to JSON with sorted keys, safe in HTML.', (value, [indent]) => {
    const text = toJson(value, {
      indent: indent === null ? null : typeof indent === 'string' ? indent : spaces(Number(needInt(indent))),
      sorted: true,
      ascii: true,
    })
    const html = escapeAll(text, /[<>&']+/g)
    checkTextSize(html.length)
    return new Markup(html)
  }),
]

function spaces(count: number): string {
  if (count > MOST_INDENT) throw wideIndent()
  return ' '.repeat(Math.max(0, count))
}

export interface JsonStyle {
  /** The indentation per level; null writes one line. */
  readonly indent: string | null
  readonly sorted: boolean
  /** Whether all non-ASCII characters are escaped. */
  readonly ascii: boolean
  /** Whether NaN and the infinities, which JSON doesn't have, become null; Python writes them as they are. */
  readonly standard?: boolean
}

/** Python's `json.dumps`. */
export function toJson(value: Value, style: JsonStyle): string {
  if (style.indent !== null && style.indent.length > MOST_INDENT) throw wideIndent()
  const text = new JsonText(style).write(value, '\n')
  checkTextSize(text.length)
  return text
}

const MOST_INDENT = 100
const wideIndent = () => typeFault(say`indent is more than ${MOST_INDENT} characters`)

class JsonText {
  private readonly style: JsonStyle
  private readonly comma: string
  private depth = 0
  private length = 0

  constructor(style: JsonStyle) {
    this.style = style
    this.comma = style.indent === null ? ', ' : ','
  }

  write(value: Value, newline: string): string {
    spend(1)
    if (typeof value === 'string') return this.text(value)
    if (value instanceof Markup) return this.text(value.text)
    if (value === null) return 'null'
    if (typeof value === 'boolean') return String(value)
    if (typeof value === 'bigint') return integerText(value)
    if (typeof value === 'number')
      return Number.isInteger(value) ? BigInt(value).toString() : this.float(value)
    if (value instanceof Float) return this.float(value.value)
    if (!(value instanceof List || value instanceof Tuple || value instanceof Dict)) {
      throw typeFault(say`Object of type ${typeName(value)} is not JSON serializable`)
    }
    if (++this.depth > current.limits.nesting) throw limitFault('nesting')
    const inner = newline + (this.style.indent ?? '')
    const text =
      value instanceof Dict
        ? this.brackets('{', '}', this.members(value, inner), newline, inner)
        : this.brackets('[', ']', this.items(value, inner), newline, inner)
    this.depth--
    return text
  }

  private items(value: List | Tuple, inner: string): string[] {
    const items = value instanceof List ? value.values() : value.items
    return items.map((item) => this.write(item, inner))
  }

  private members(value: Dict, inner: string): string[] {
    const pairs = this.style.sorted ? sortValues(value.pairs(), ([key]) => key) : value.pairs()
    return pairs.map(([key, item]) => this.text(keyText(key)) + ': ' + this.write(item, inner))
  }

  private brackets(
    open: string,
    close: string,
    parts: readonly string[],
    newline: string,
    inner: string,
  ): string {
    if (parts.length === 0) return open + close
    if (this.style.indent === null) return open + parts.join(this.comma) + close
    return open + inner + parts.join(this.comma + inner) + newline + close
  }

  private text(text: string): string {
    const quoted = JSON.stringify(text)
    this.length += quoted.length
    checkTextSize(quoted.length / 4)
    if (this.length > current.limits.valueBytes) throw limitFault('valueBytes')
    return this.style.ascii ? escapeAll(quoted, /[\x7f-\uffff]+/g) : quoted
  }

  private float(value: number): string {
    if (this.style.standard === true && !Number.isFinite(value)) return 'null'
    if (Number.isNaN(value)) return 'NaN'
    if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
    return floatText(value)
  }
}

/** Handles one match at a time, because `replace` would collect all of them before anything is charged. */
function escapeAll(text: string, pattern: RegExp): string {
  let escaped = ''
  let from = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    spend(1)
    escaped += text.slice(from, match.index) + escapeUnits(match[0])
    from = pattern.lastIndex
  }
  return from === 0 ? text : escaped + text.slice(from)
}

function escapeUnits(units: string): string {
  checkTextSize(units.length * 6)
  spend(units.length)
  let escaped = ''
  for (let at = 0; at < units.length; at++) {
    const code = units.charCodeAt(at)
    escaped += `\\u${HEX[code >> 8]}${HEX[code & 0xff]}`
  }
  return escaped
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function keyText(key: Value): string {
  if (typeof key === 'string') return key
  if (key instanceof Markup) return key.text
  if (key === null) return 'null'
  if (typeof key === 'boolean') return String(key)
  if (typeof key === 'bigint') return integerText(key)
  if (typeof key === 'number') return Number.isInteger(key) ? String(key) : floatText(key)
  if (key instanceof Float) return floatText(key.value)
  throw typeFault(say`keys must be str, int, float, bool or None, not ${typeName(key)}`)
}
