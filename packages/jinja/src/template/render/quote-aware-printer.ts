import { writeJson } from '../../data/json.ts'
import type { Data } from '../../data/value.ts'
import { readLiteral } from '../syntax/literal.ts'
import type { PrintObserver } from '../base/limits.ts'
import type { StatementOf } from '../base/tree.ts'
import { isPlainPath, type ValueTrace } from './value-trace.ts'
import { textOf } from '../values/repr.ts'
import { toData } from '../values/to-data.ts'
import { Undefined } from '../base/undefined.ts'
import { Callable, Iter, Markup, type Value } from '../base/value.ts'

/** How a computed string outside quotes is written: always as it is, or in quotes unless it is a literal. */
export type RawTexts = 'raw' | 'raw if a literal'

/**
 * Writes values into a dictionary's source so that they are preserved: in quotes they are escaped for that quote,
 * elsewhere they are written as JSON. Therefore no value can close a quote or add a key.
 */
export class QuoteAwarePrinter implements PrintObserver {
  private readonly trace: ValueTrace
  private readonly rawTexts: RawTexts
  /** The quote that is open at the end of the output so far. */
  private quote: string | null = null
  private scanned = 0

  constructor(trace: ValueTrace, rawTexts: RawTexts) {
    this.trace = trace
    this.rawTexts = rawTexts
  }

  print(
    value: Value,
    statement: StatementOf<'print'>,
    before: string | null,
    write: (value: Value) => string,
  ): string {
    if (before === null) {
      this.trace.note(value, statement)
      return write(value)
    }
    this.scan(before)
    const plain = isPlainPath(statement.value)
    const meaning = this.quote === null && !plain ? meaningOf(value) : undefined
    this.trace.note(value, statement, meaning)
    const text = this.quote === null ? this.writeBare(value, plain) : escapeFor(this.quote, write(value))
    const isOpaque = this.quote !== null || plain || this.rawTexts !== 'raw'
    if (isOpaque) this.scanned = before.length + text.length
    return text
  }

  private writeBare(value: Value, plain: boolean): string {
    if (value instanceof Undefined) return 'null'
    if (value instanceof Iter || value instanceof Callable) return textOf(value)
    if (typeof value !== 'string' && !(value instanceof Markup)) return writeJson(toData(value))
    const text = textOf(value)
    if (!plain && (this.rawTexts === 'raw' || isLiteral(text))) return text
    return JSON.stringify(text)
  }

  /** Tracks the quotes in the literal parts of the template. */
  private scan(output: string): void {
    for (let at = this.scanned; at < output.length; at++) {
      const character = output[at] ?? ''
      if (this.quote === null) {
        if (character === '"' || character === "'") this.quote = character
      } else if (character === '\\') at++
      else if (character === this.quote) this.quote = null
    }
    this.scanned = output.length
  }
}

/** The value that a computed string outside quotes will be parsed as; undefined if it isn't a literal. */
function meaningOf(value: Value): Data | undefined {
  if (typeof value !== 'string' && !(value instanceof Markup)) return undefined
  try {
    return readLiteral(textOf(value))
  } catch {
    return undefined
  }
}

function isLiteral(text: string): boolean {
  try {
    readLiteral(text)
    return true
  } catch {
    return false
  }
}

/** The escapes JSON and Python share. */
function escapeFor(quote: string, text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1)
  return quote === '"' ? escaped : escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")
}
