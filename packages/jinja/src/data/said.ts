/**
 * The message of an error: an English sentence with numbered values, such as `'{{0}}' is undefined`. Programs find
 * its translation by its key. A value can be a sentence too.
 */
export interface Said {
  readonly key: string
  readonly params: Readonly<Record<string, string | number | Said>>
}

/** Tags a sentence: say`"${name}" isn't a time zone`. */
export function say(words: TemplateStringsArray, ...values: readonly (string | number | Said)[]): Said {
  let key = keys.get(words)
  if (key === undefined) {
    key = words.reduce((before, word, at) => `${before}{{${at - 1}}}${word}`)
    keys.set(words, key)
  }
  return { key, params: Object.fromEntries(values.entries()) }
}

/** Keyed by the array of words, which is always the same object for the same place in the source. */
const keys = new WeakMap<TemplateStringsArray, string>()

export function englishOf({ key, params }: Said): string {
  return key.replaceAll(/\{\{(\w+)\}\}/g, (whole, at: string) => {
    const value = params[at]
    return value === undefined ? whole : typeof value === 'object' ? englishOf(value) : String(value)
  })
}

/** An error of this package; `message` is its sentence in English. */
export class SaidError extends Error {
  readonly said: Said

  constructor(said: Said) {
    super(englishOf(said))
    this.said = said
  }
}
