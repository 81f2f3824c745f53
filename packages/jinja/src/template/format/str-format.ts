import { say } from '../../data/said.ts'
import { argumentFault, Fault } from '../base/faults.ts'
import { checkTextSize, spend } from '../base/limits.ts'
import { quoteText, repr, textOf } from '../values/repr.ts'
import type { Value } from '../base/value.ts'
import { formatValue } from './spec.ts'

/** Looks up the values of fields for `str.format`. */
export interface FieldSource {
  /** Values by position. */
  readonly positional: readonly Value[]
  readonly named: (name: string) => Value | undefined
  readonly attribute: (value: Value, name: string) => Value
  readonly item: (value: Value, key: Value) => Value
  /** Applied to the string form of each value (HTML strings escape it). */
  readonly escape?: (value: Value) => Value
}

/** Python's `str.format`. */
export function formatFields(template: string, source: FieldSource): string {
  return new Formatter(source).format(template, 2)
}

class Formatter {
  private automatic = 0
  private numbering: 'automatic' | 'manual' | undefined
  private readonly source: FieldSource

  constructor(source: FieldSource) {
    this.source = source
  }

  format(template: string, depth: number): string {
    if (depth < 0) throw argumentFault(say`Max string recursion exceeded`)
    let text = ''
    for (let at = 0; at < template.length;) {
      const next = nextBrace(template, at)
      text += template.slice(at, next)
      if (next === template.length) break
      const brace = template[next] ?? ''
      if (template[next + 1] === brace) {
        text += brace
        at = next + 2
      } else if (brace === '}') {
        throw argumentFault(say`Single '}' encountered in format string`)
      } else {
        const end = fieldEnd(template, next)
        text += this.field(template.slice(next + 1, end), depth)
        at = end + 1
      }
      checkTextSize(text.length)
    }
    return text
  }

  private field(field: string, depth: number): string {
    spend(2)
    const [, name = '', conversion, spec = ''] = FIELD.exec(field) ?? []
    if (conversion !== undefined && !'rsa'.includes(conversion)) {
      throw argumentFault(say`Unknown conversion specifier ${conversion}`)
    }
    const found = this.lookUp(name)
    const value = conversion === undefined ? found : conversion === 's' ? textOf(found) : repr(found)
    const inner = spec.includes('{') ? this.format(spec, depth - 1) : spec
    return formatValue(this.source.escape === undefined ? value : this.source.escape(value), inner)
  }

  private lookUp(name: string): Value {
    const [first = ''] = /^[^.[]*/.exec(name) ?? []
    let value = this.argument(first)
    for (let at = first.length; at < name.length;) {
      STEP.lastIndex = at
      const match = STEP.exec(name)
      if (match === null) throw argumentFault(say`Only '.' or '[' may follow ']' in format field specifier`)
      at = STEP.lastIndex
      const [, attribute, item = ''] = match
      value =
        attribute === undefined
          ? this.source.item(value, /^\d+$/.test(item) ? Number(item) : item)
          : this.source.attribute(value, attribute)
    }
    return value
  }

  private argument(name: string): Value {
    if (name === '') return this.positional(this.automatic++, 'automatic')
    if (/^\d+$/.test(name)) return this.positional(Number(name), 'manual')
    const value = this.source.named(name)
    if (value === undefined)
      throw argumentFault(say`${quoteText(name)}`, say`The format has no value named "${name}"`)
    return value
  }

  private positional(index: number, numbering: 'automatic' | 'manual'): Value {
    if (this.numbering !== undefined && this.numbering !== numbering) {
      throw argumentFault(
        numbering === 'manual'
          ? say`cannot switch from automatic field numbering to manual field specification`
          : say`cannot switch from manual field specification to automatic field numbering`,
      )
    }
    this.numbering = numbering
    const value = this.source.positional[index]
    if (value === undefined) {
      throw new Fault('argument', say`Replacement index ${index} out of range for positional args tuple`)
    }
    return value
  }
}

const FIELD = /^([^!:[]*(?:\[[^\]]*\][^!:[]*)*)(?:!([^:]*))?(?::(.*))?$/s
const BRACE = /[{}]/g
const STEP = /\.([^.[]+)|\[([^\]]+)\]/y

function nextBrace(template: string, from: number): number {
  BRACE.lastIndex = from
  return BRACE.exec(template)?.index ?? template.length
}

function fieldEnd(template: string, open: number): number {
  let depth = 0
  for (let at = open; at < template.length; at++) {
    if (template[at] === '{') depth++
    else if (template[at] === '}' && --depth === 0) return at
  }
  throw argumentFault(
    open === template.length - 1
      ? say`Single '{' encountered in format string`
      : say`expected '}' before end of string`,
  )
}
