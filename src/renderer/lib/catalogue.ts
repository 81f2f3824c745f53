import { createInstance } from 'i18next'
import type { Said } from '../../shared/contract/base/message.ts'
import { createMessageTranslator } from './message-translator.ts'

/** A language other than English, as i18next stores it; loaded together with its sentences. */
export async function createCatalogue(
  language: string,
  sentences: Readonly<Record<string, string>>,
  ofProgram: Readonly<Record<string, string>> = {},
  ofBuiltIn: Readonly<Record<string, string>> = {},
): Promise<Catalogue> {
  const i18n = createInstance()
  await i18n.init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: sentences } },
    // A key is the English sentence itself, with full stops and colons.
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false }, // React itself escapes text.
  })
  return {
    find: (english, values) =>
      values === undefined
        ? i18n.t(english, { skipInterpolation: true })
        : i18n.t(english, { replace: values, nest: false }),
    message: createMessageTranslator(ofProgram),
    builtInText: (english) => (Object.hasOwn(ofBuiltIn, english) ? (ofBuiltIn[english] ?? english) : english),
    count: (count, other, values) => i18n.t(other, { count, replace: values, nest: false }),
  }
}

/** The values of a sentence; `count` is formatted as a number of the language. */
export type Values = Readonly<Record<string, string | number>>

/** The sentences of another language, by their English text. */
export interface Catalogue {
  find(english: string, values: Values | undefined): string
  count(count: number, other: string, values: Values): string
  /** A sentence written by the server, by its key and values. */
  message(english: string, said?: Said): string
  /** A label of a built-in connector, or a text of a sample flow. */
  builtInText(english: string): string
}
