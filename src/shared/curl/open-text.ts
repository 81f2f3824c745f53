/**
 * Text of a command in which something is still open: a variable of the shell, or what only the machine of the command
 * knows, such as the content of a file. Each stands in the text between two characters that no text may contain.
 */
const OPEN = '\uFDD0'
const CLOSE = '\uFDD1'
const SPAN = /\uFDD0([$%!])([^\uFDD1]*)\uFDD1/g

export type OpenPart =
  | { readonly kind: 'variable'; readonly name: string; readonly isEncoded: boolean }
  | { readonly kind: 'missing'; readonly what: string }

export const variable = (name: string): string => `${OPEN}$${name}${CLOSE}`
export const missing = (what: string): string => `${OPEN}!${withoutMarks(what)}${CLOSE}`

/** Whether nothing is open in it. */
export const isSettled = (text: string): boolean => !text.includes(OPEN)

export const withoutMarks = (text: string): string => text.replaceAll(/[\uFDD0\uFDD1]/g, '')

/** The end of the open part that begins at this place; the place itself if none begins there. */
export function endOfOpenPart(text: string, at: number): number {
  return text[at] === OPEN ? text.indexOf(CLOSE, at) + 1 : at
}

export function partsOf(text: string): readonly (string | OpenPart)[] {
  const parts: (string | OpenPart)[] = []
  let from = 0
  for (const found of text.matchAll(SPAN)) {
    if (found.index > from) parts.push(text.slice(from, found.index))
    parts.push(readPart(found[1] ?? '', found[2] ?? ''))
    from = found.index + found[0].length
  }
  return from < text.length ? [...parts, text.slice(from)] : parts
}

/** Percent-encodes what is settled; a variable is encoded once its value is known. */
export function encodeText(text: string, encode: (plain: string) => string): string {
  return partsOf(text)
    .map((part) => {
      if (typeof part === 'string') return encode(part)
      return part.kind === 'variable' ? `${OPEN}%${part.name}${CLOSE}` : missing(part.what)
    })
    .join('')
}

/** As a person reads it. */
export function shownText(text: string): string {
  return partsOf(text)
    .map((part) =>
      typeof part === 'string' ? part : part.kind === 'variable' ? `$${part.name}` : `(${part.what})`,
    )
    .join('')
}

/** With the same text in the place of each. */
export const withoutOpenParts = (text: string, instead: string): string => text.replaceAll(SPAN, instead)

/** Names of the variables in it, and what is missing in it. */
export function openPartsOf(text: string): readonly OpenPart[] {
  return partsOf(text).filter((part) => typeof part !== 'string')
}

function readPart(sign: string, content: string): OpenPart {
  return sign === '!'
    ? { kind: 'missing', what: content }
    : { kind: 'variable', name: content, isEncoded: sign === '%' }
}
