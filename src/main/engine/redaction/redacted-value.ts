import {
  englishOf,
  PLACEHOLDER,
  SAID,
  type Said,
  type Spoken,
} from '../../../shared/contract/base/message.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  estimateBytes,
  isDictionary,
  isList,
} from '@millrace/jinja/data'
import { redactEntries } from './redacted-entries.ts'
import type { Redactor } from './redactor.ts'

/** Secrets are hidden before anything is cut, so that no part of one remains at the cut. */
export function redactAndTruncate(value: Data, redactor: Redactor): { value: Data; isCut: boolean } {
  if (estimateBytes(value, MOST_SHOWN_BYTES) <= MOST_SHOWN_BYTES)
    return { value: redactor.redactData(value), isCut: false }
  const cutter = createCutter(redactor)
  return { value: cutter.cut(value), isCut: cutter.isCut() }
}

export const MOST_SHOWN_BYTES = 131_072

/** Keeps the beginning of strings, lists and objects. */
function createCutter(redactor: Redactor) {
  let left = MOST_SHOWN_BYTES
  let isCut = false

  function cut(value: Data): Data {
    left -= 16
    if (typeof value === 'string') return cutText(value)
    if (typeof value === 'bigint') return cutInteger(value)
    if (isList(value)) return takeWhileRoom(value).map((item) => cut(item))
    if (!isDictionary(value)) return redactor.redactData(value)
    const entries = redactEntries(takeWhileRoom(firstEntries(value)), redactor)
    return dictionaryOf(entries.map(({ name, item, hidden }) => [cutKey(name), hidden ?? cut(item)]))
  }

  function cutKey(name: string): string {
    left -= Math.min(name.length, MOST_KEY_CHARS) * 2
    if (name.length <= MOST_KEY_CHARS) return name
    isCut = true
    return `${name.slice(0, MOST_KEY_CHARS)}…`
  }

  function cutInteger(value: bigint): Data {
    const digits = String(value)
    if (digits.length * 2 > left) return cutText(digits)
    left -= digits.length * 2
    return redactor.redactData(value)
  }

  function cutText(text: string): string {
    const room = Math.max(0, Math.floor(left / 2))
    const shown = redactor.redactText(text.length > room + MARGIN ? text.slice(0, room + MARGIN) : text)
    left -= Math.min(shown.length, room) * 2
    if (shown.length <= room) return shown
    isCut = true
    return `${shown.slice(0, room)}…`
  }

  function takeWhileRoom<T>(items: readonly T[]): T[] {
    const kept: T[] = []
    for (const item of items) {
      if (left <= 0 || kept.length >= MOST_ENTRIES) {
        isCut = true
        break
      }
      kept.push(item)
      left -= 8
    }
    return kept
  }

  return { cut, isCut: () => isCut }
}

/** Returns one more entry than is shown, so that a cut is recognized. */
function firstEntries(value: Dictionary): [string, Data][] {
  if (value instanceof Map) return [...value.entries().take(MOST_ENTRIES + 1)]
  const entries: [string, Data][] = []
  for (const key in value) {
    if (Object.hasOwn(value, key)) entries.push([key, value[key] ?? null])
    if (entries.length > MOST_ENTRIES) break
  }
  return entries
}

const MOST_ENTRIES = 1_000
const MOST_KEY_CHARS = 1_000
/** Longer than any secret, so that a secret that begins before the cut is found as a whole. */
const MARGIN = 8_192

/** Hides secrets before cutting, because part of a secret at the cut would not be found. */
export function redactAndTruncateText(
  text: string,
  maxCharacters: number,
  redactor: Pick<Redactor, 'redactText'>,
): string {
  const shown = redactor.redactText(text)
  return shown.length > maxCharacters ? `${shown.slice(0, maxCharacters)}…` : shown
}

/**
 * Hides secrets in an object's message. The key and values of the message are dropped if they no longer produce
 * the same text, because a secret can begin in a value and end in the words after it.
 */
export function redactSpoken<T extends { readonly message: string } & Spoken>(
  speaker: T,
  redactor: Pick<Redactor, 'redactText'>,
): T {
  const message = redactor.redactText(speaker.message)
  const said = speaker[SAID] && redactSaid(speaker[SAID], redactor)
  return { ...speaker, message, [SAID]: said && englishOf(said) === message ? said : undefined }
}

/** Redacts only the values that the sentence shows. */
function redactSaid({ key, params }: Said, redactor: Pick<Redactor, 'redactText'>): Said {
  const shown = [...key.matchAll(PLACEHOLDER)].flatMap(
    ([, name = '']): [string, string | number | Said][] => {
      const value = params[name]
      if (value === undefined) return []
      if (typeof value === 'object') return [[name, redactSaid(value, redactor)]]
      const text = redactor.redactText(String(value))
      return [[name, text === String(value) ? value : text]]
    },
  )
  return { key, params: Object.fromEntries(shown) }
}
