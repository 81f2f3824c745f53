import { checkTextSize } from '../limits.ts'
import { textOf } from './text.ts'
import { Markup, type Value } from './value.ts'

/** A value as HTML: text is escaped, what is HTML already stays. */
export function escapeHtml(value: Value): Markup {
  if (value instanceof Markup) return value
  const text = textOf(value)
  checkTextSize(text.length)
  return new Markup(text.replace(/[&<>'"]/g, (character) => ENTITIES[character] ?? character))
}

/** Applies a change to a text and keeps its being HTML. */
export function changeText(value: Value, change: (text: string) => string): Value {
  if (value instanceof Markup) return new Markup(change(value.text))
  return change(textOf(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
}
