import { checkTextSize } from '../base/limits.ts'
import { escapeHtml } from '../values/markup.ts'
import { textOf } from '../values/repr.ts'
import { Markup, type Value } from '../base/value.ts'

/** Computes `a ~ b` by concatenating the string forms of the values. */
export function concat(values: readonly Value[]): string {
  let text = ''
  for (const value of values) {
    text += textOf(value)
    checkTextSize(text.length)
  }
  return text
}

/** Computes `a ~ b` with escaping. If any value is HTML, so is the result. */
export function concatHtml(values: readonly Value[]): Value {
  if (!values.some((value) => value instanceof Markup)) return concat(values)
  return new Markup(concat(values.map(escapeHtml)))
}
