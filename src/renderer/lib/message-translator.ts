import type { Said } from '../../shared/contract/base/message.ts'

/**
 * Sentences of the program in another language, by key and values. A sentence without values is its own key. What the
 * catalogue doesn't know, or only in part, stays in English as a whole: half a sentence in each language reads worse
 * than either.
 */
export function createMessageTranslator(
  sentences: Readonly<Record<string, string>>,
): (message: string, said?: Said) => string {
  const byKey = new Map(Object.entries(sentences).map(([key, other]) => [key.replaceAll('{{+', '{{'), other]))
  const ofForm = createFormTranslator(sentences)

  function translate({ key, params }: Said): string | null {
    const other = byKey.get(key)
    if (other === undefined) return null
    let isKnown = true
    const text = other.replaceAll(/\{\{(\+?)(\w+)\}\}/g, (whole, sentence: string, name: string) => {
      const value = params[name]
      if (value === undefined) return whole
      const shown =
        typeof value === 'object' ? translate(value) : sentence === '' ? String(value) : ofForm(String(value))
      if (shown === null) isKnown = false
      return shown ?? ''
    })
    return isKnown ? text : null
  }

  return (message, said = { key: message, params: {} }) => translate(said) ?? ofForm(message) ?? message
}

/**
 * Sentences of the program in another language, found by their form: `{{id}}` matches any value, which stays as it
 * is, and `{{+rest}}` a sentence or word that is itself one of these. Unknown sentences stay in English as a whole:
 * half a sentence in each language reads worse than either.
 */
function createFormTranslator(
  sentences: Readonly<Record<string, string>>,
): (message: string) => string | null {
  const forms = Object.entries(sentences)
    .filter(([english]) => !TOO_WIDE.test(english) && /\p{L}/u.test(english.replaceAll(/\{\{\w+\}\}/g, '')))
    .filter(([english]) => !/\{\{\d/.test(english))
    .map(([english, other]) => toForm(english, other))
    // Prefixes are matched from the left; of several forms, the one with the most literal characters wins.
    .sort((a, b) => Number(b.isBegun) - Number(a.isBegun) || b.fixed - a.fixed)

  function translate(text: string, depth: number): string | null {
    for (const { pattern, names, other } of forms) {
      const found = pattern.exec(text)
      if (found === null) continue
      const values = names.map((name, at) => {
        const value = found[at + 1] ?? ''
        if (!name.startsWith('+') || isData(value)) return value
        return depth === MOST_NESTED ? null : translate(value, depth + 1)
      })
      if (values.includes(null)) continue
      return other.replaceAll(PLACEHOLDER, (whole, name: string) => values[names.indexOf(name)] ?? whole)
    }
    return null
  }

  return (text) => (text.length > LONGEST_MESSAGE ? null : isData(text) ? text : translate(text, 0))
}

/** Nothing but values. */
const TOO_WIDE =
  /^(?:\{\{\w+\}\}|\{\{\w+\}\}: \{\{\+\w+\}\}|\{\{\w+\}\}\. \{\{\w+\}\}|(?:\{\{\w+\}\}){2} \{\{\w+\}\}|\{\{names\}\} and \{\{\w+\}\}(?: more)?)$/
const LONGEST_MESSAGE = 4_000
const PLACEHOLDER = /\{\{(\+?\w+)\}\}/g
/** A step's failure within the failure of a flow that a step has run, and so on. */
const MOST_NESTED = 8

interface Form {
  readonly pattern: RegExp
  readonly names: readonly string[]
  readonly other: string
  /** It begins with words, not with a value. */
  readonly isBegun: boolean
  /** Number of its characters that aren't values. */
  readonly fixed: number
}

function toForm(english: string, other: string): Form {
  const parts = english.split(PLACEHOLDER)
  const texts = parts.filter((_part, at) => at % 2 === 0)
  const source = texts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('([^]+?)')
  return {
    // linear: of at most `LONGEST_MESSAGE` characters
    pattern: new RegExp(`^${source}$`),
    names: parts.filter((_part, at) => at % 2 === 1),
    other,
    isBegun: texts[0] !== '',
    fixed: texts.join('').length,
  }
}

/** A number, a quoted name, a word of JSON: the same in every language. */
function isData(value: string): boolean {
  return /^(?:[^\p{L}]*|"[^"]*"|true|false|null)$/u.test(value)
}
