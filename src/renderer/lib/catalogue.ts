import { createInstance } from 'i18next'
import type { Catalogue } from './i18n.ts'
import { createSayer } from './said.ts'

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
    said: createSayer(ofProgram),
    named: (english) => (Object.hasOwn(ofConnectors, english) ? (ofConnectors[english] ?? english) : english),
    count: (count, other, values) => i18n.t(other, { count, replace: values, nest: false }),
  }
}
