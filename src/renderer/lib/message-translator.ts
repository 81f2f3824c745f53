import { PLACEHOLDER, type Said } from '../../shared/contract/base/message.ts'

/**
 * The server's sentences in another language, by key and values. A sentence without values is its own key. A sentence
 * that the catalogue doesn't know, or only in part, stays in English as a whole, because half a sentence in each
 * language reads worse than either.
 */
export function createMessageTranslator(
  sentences: Readonly<Record<string, string>>,
): (message: string, said?: Said) => string {
  function translate({ key, params }: Said): string | null {
    if (!Object.hasOwn(sentences, key)) return null
    let isKnown = true
    const text = sentences[key]?.replaceAll(PLACEHOLDER, (whole, name: string) => {
      const value = params[name]
      if (typeof value !== 'object') return value === undefined ? whole : String(value)
      const shown = translate(value)
      if (shown === null) isKnown = false
      return shown ?? ''
    })
    return isKnown ? (text ?? null) : null
  }

  return (message, said = { key: message, params: {} }) => translate(said) ?? message
}
