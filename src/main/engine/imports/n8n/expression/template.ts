/** n8n's parameters as templates: a text with `=` before it is one with `{{ }}` in it, any other stands as it is. */
import { hasTags } from '../../../template/index.ts'
import { NotReadable } from './javascript.ts'
import type { Names } from './names.ts'
import { quoted } from '../source/values.ts'
import { translateAsText, translateExpression } from './translate.ts'

/** Something that stays as it was, and why. */
export type Doubt = (message: string) => void

/** Another way to what no template says: the expression that reads it, or null. */
export type Otherwise = (code: string, asText: boolean) => string | null

/** @returns a template; what has no certain equal stands in it as the text it was */
export function toTemplate(text: string, names: Names, doubt: Doubt, otherwise: Otherwise): string {
  if (!isExpression(text)) return literally(text)
  const parts = partsOf(text.slice(1))
  const only = parts.length === 1 ? parts[0] : undefined
  try {
    if (only !== undefined && 'code' in only) return `{{ ${wholeOf(only.code, names, otherwise)} }}`
    return parts
      .map((part) => ('code' in part ? `{{ ${partOf(part.code, names, otherwise)} }}` : literally(part.text)))
      .join('')
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error
    doubt(`stays as the text "${shortened(text)}", because ${error.message}`)
    return raw(text)
  }
}

/** An expression alone, for `when` and the like; null where it stays a doubt. */
export function toExpression(text: string, names: Names, doubt: Doubt, otherwise: Otherwise): string | null {
  if (!isExpression(text)) return quoted(text)
  const parts = partsOf(text.slice(1))
  const only = parts.length === 1 ? parts[0] : undefined
  try {
    if (only !== undefined && 'code' in only) return wholeOf(only.code, names, otherwise)
    const texts = parts.map((part) =>
      'code' in part ? `(${partOf(part.code, names, otherwise)})` : quoted(part.text),
    )
    return texts.length === 0 ? "''" : `(${["''", ...texts].join(' ~ ')})`
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error
    doubt(`stays as the text "${shortened(text)}", because ${error.message}`)
    return null
  }
}

const wholeOf = (code: string, names: Names, otherwise: Otherwise) =>
  orElse(
    () => translateExpression(code, names),
    () => otherwise(code, false),
  )

const partOf = (code: string, names: Names, otherwise: Otherwise) =>
  orElse(
    () => translateAsText(code, names),
    () => otherwise(code, true),
  )

function orElse(translate: () => string, otherwise: () => string | null): string {
  try {
    return translate()
  } catch (error) {
    const found = error instanceof NotReadable ? otherwise() : null
    if (found === null) throw error
    return found
  }
}

export const isExpression = (text: unknown): text is string =>
  typeof text === 'string' && text.startsWith('=')

type Part = { readonly text: string } | { readonly code: string }

/** Texts and what stands between `{{` and `}}`, braces and quotes inside it heeded. */
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

/** A text that is no template, also where it looks like one. */
function literally(text: string): string {
  return hasTags(text) ? raw(text) : text
}

function raw(text: string): string {
  return text.includes('endraw')
    ? text.replaceAll('{', '(').replaceAll('}', ')')
    : `{% raw %}${text}{% endraw %}`
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 80)}…` : line
}
