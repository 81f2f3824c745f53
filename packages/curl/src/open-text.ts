import { englishOf, type Said } from '@millrace/jinja/said'

/**
 * Strings from a command in which parts are still open: shell variables, or data that only exists on the computer that
 * the command is for, such as the content of a file. Each open part is enclosed in two characters that can't occur in
 * other text.
 */
const OPEN = '\uFDD0'
const CLOSE = '\uFDD1'
const SPAN = /\uFDD0([$%!])([^\uFDD0\uFDD1]*)\uFDD1/g

export type OpenPart =
  | { readonly kind: 'variable'; readonly name: string; readonly isEncoded: boolean }
  | { readonly kind: 'missing'; readonly what: Said }

export const variable = (name: string): string => `${OPEN}$${name}${CLOSE}`
/** The sentence is encoded, so that it contains no characters with a meaning for shells or curl. */
export const missing = (what: Said): string => `${OPEN}!${encodeURIComponent(JSON.stringify(what))}${CLOSE}`

/** Whether the string has no open parts. */
export const isSettled = (text: string): boolean => !text.includes(OPEN)

export const withoutMarks = (text: string): string => text.replaceAll(/[\uFDD0\uFDD1]/g, '')

/** The end of the open part that begins at this position; the position itself if none begins there. */
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

/** Percent-encodes the settled parts; a variable is encoded once its value is known. */
export function encodeText(text: string, encode: (plain: string) => string): string {
  return partsOf(text)
    .map((part) => {
      if (typeof part === 'string') return encode(part)
      return part.kind === 'variable' ? `${OPEN}%${part.name}${CLOSE}` : missing(part.what)
    })
    .join('')
}

/** The string as shown to a person. */
export function shownText(text: string): string {
  return partsOf(text)
    .map((part) =>
      typeof part === 'string'
        ? part
        : part.kind === 'variable'
          ? `$${part.name}`
          : `(${englishOf(part.what)})`,
    )
    .join('')
}

/** Replaces each open part by the same string. */
export const withoutOpenParts = (text: string, instead: string): string => text.replaceAll(SPAN, instead)

/** The variables in the string, and the data that is missing in it. */
export function openPartsOf(text: string): readonly OpenPart[] {
  return partsOf(text).filter((part) => typeof part !== 'string')
}

function readPart(sign: string, content: string): OpenPart {
  return sign === '!'
    ? { kind: 'missing', what: JSON.parse(decodeURIComponent(content)) as Said }
    : { kind: 'variable', name: content, isEncoded: sign === '%' }
}
