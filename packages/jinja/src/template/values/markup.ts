import { checkTextSize } from '../base/limits.ts'
import { textOf } from './repr.ts'
import { Markup, type Value } from '../base/value.ts'

/** Converts a value to HTML: strings are escaped, existing HTML is unchanged. */
export function escapeHtml(value: Value): Markup {
  if (value instanceof Markup) return value
  const text = textOf(value)
  checkTextSize(text.length)
  const growth = growthOf(text)
  if (growth === 0) return new Markup(text)
  checkTextSize(text.length + growth)
  // One pass per escaped character is several times faster than a single pass that calls a function.
  const escaped = text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/'/g, '&#39;')
    .replace(/"/g, '&#34;')
  return new Markup(escaped)
}

/** Changes a string; HTML stays HTML. */
export function changeText(value: Value, change: (text: string) => string): Value {
  if (value instanceof Markup) return new Markup(change(value.text))
  return change(textOf(value))
}

/** The number of characters that escaping will add to a string. */
function growthOf(text: string): number {
  let growth = 0
  for (let at = 0; at < text.length; at++) growth += GROWTH[text.charCodeAt(at)] ?? 0
  return growth
}

/** The growth by character code. No character above the last one grows. */
const GROWTH: readonly number[] = Array.from({ length: 63 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (character === '&' || character === "'" || character === '"') return 4
  return character === '<' || character === '>' ? 3 : 0
})
