/** Translates n8n's parameters. A string that begins with `=` can contain `{{ }}`; any other is literal. */
import { hasTags } from '@millrace/jinja'

export const isExpression = (text: unknown): text is `=${string}` =>
  typeof text === 'string' && text.startsWith('=')

export type Part = { readonly text: string } | { readonly code: string }

/**
 * Splits a string into literal parts and the code between `{{` and `}}`, taking braces and quotes in the code into
 * account.
 */
export function partsOf(source: string): Part[] {
  const parts: Part[] = []
  let at = 0
  while (at < source.length) {
    const open = source.indexOf('{{', at)
    const close = open === -1 ? -1 : endOfCode(source, open + 2)
    if (close === -1) break
    if (open > at) parts.push({ text: source.slice(at, open) })
    parts.push({ code: source.slice(open + 2, close) })
    at = close + 2
  }
  if (at < source.length) parts.push({ text: source.slice(at) })
  return parts
}

function endOfCode(source: string, from: number): number {
  let depth = 0
  let quote = ''
  for (let at = from; at < source.length; at++) {
    const sign = source[at] ?? ''
    if (quote !== '') {
      if (sign === '\\') at++
      else if (sign === quote) quote = ''
    } else if (sign === '"' || sign === "'" || sign === '`') quote = sign
    else if (sign === '{') depth++
    else if (sign === '}' && depth > 0) depth--
    else if (sign === '}' && source[at + 1] === '}') return at
  }
  return source.indexOf('}}', from)
}

/** A literal string, even if it looks like a template. */
export function literally(text: string): string {
  if (!hasTags(text)) return text
  return text.includes('endraw')
    ? text.replaceAll(/\{(?=[{%#])/g, "{{ '{' }}")
    : `{% raw %}${text}{% endraw %}`
}
