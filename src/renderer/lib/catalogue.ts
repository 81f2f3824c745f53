import { createInstance } from 'i18next'
import { createMessageTranslator } from './message-translator.ts'

/** A language beside English, as i18next keeps it; loaded together with its sentences. */
export async function createCatalogue(
  language: string,
  sentences: Readonly<Record<string, string>>,
  ofProgram: Readonly<Record<string, string>> = {},
  ofConnectors: Readonly<Record<string, string>> = {},
): Promise<Catalogue> {
  const i18n = createInstance()
  await i18n.init({
    lng: language,
    fallbackLng: false,
    resources: { [language]: { translation: sentences } },
    // A key is the English sentence itself, full stops and colons included.
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false }, // React writes text, never HTML.
  })
  return {
    find: (english, values) =>
      values === undefined
        ? i18n.t(english, { skipInterpolation: true })
        : i18n.t(english, { replace: values, nest: false }),
    message: createMessageTranslator(ofProgram),
    connectorText: (english) =>
      Object.hasOwn(ofConnectors, english) ? (ofConnectors[english] ?? english) : english,
    count: (count, other, values) => i18n.t(other, { count, replace: values, nest: false }),
  }
}

/** What a sentence is filled with; `count` reads as a number of the language. */
export type Values = Readonly<Record<string, string | number>>

/** The sentences of another language by their English. */
export interface Catalogue {
  find(english: string, values: Values | undefined): string
  count(count: number, other: string, values: Values): string
  /** A sentence that the program wrote, where its form is known. */
  message(english: string): string
  /** What a built-in connector calls something. */
  connectorText(english: string): string
}
