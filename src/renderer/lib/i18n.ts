import { createInstance } from 'i18next'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { LANGUAGES } from '../../shared/contract/settings.ts'
import type { Language } from '../../shared/contract/settings.ts'
import { recall, remember } from './remembered.ts'

/** What a sentence is filled with; `count` reads as a number of the language. */
export type Values = Readonly<Record<string, string | number>>

/** The language that is shown, when the settings leave it to the system or name it. */
type Shown = Exclude<Language, 'system'>

const catalogue = createInstance()
void catalogue.init({
  lng: 'en',
  fallbackLng: false,
  resources: { en: {} },
  initAsync: false,
  // A key is the English sentence itself, full stops and colons included.
  keySeparator: false,
  nsSeparator: false,
  interpolation: { escapeValue: false }, // React writes text, never HTML.
})

/**
 * The sentence in the language of the page: `t('Made “{{name}}”', { name })`. To be called where the sentence is shown,
 * never while a module loads, since the language is not known then. What no value is given for, such as `{{ web1.id }}` in
 * a sentence about templates, stands for itself.
 */
export function t(sentence: string | English, values?: Values): string {
  return values === undefined
    ? catalogue.t(sentence as string, { skipInterpolation: true })
    : catalogue.t(sentence as string, { replace: written(values), nest: false })
}

/**
 * A sentence that depends on a number: `tn(3, '{{count}} step left', '{{count}} steps left')`. The second sentence is
 * the key; the catalogue has it with `_one` and `_other`.
 */
export function tn(count: number, one: string, other: string, values?: Values): string {
  const english = { defaultValue_one: one, defaultValue_other: other }
  return catalogue.t(other, { ...english, count, replace: written({ ...values, count }), nest: false })
}

function written(values: Values): Values {
  const { count } = values
  return typeof count === 'number' ? { ...values, count: count.toLocaleString(locale()) } : values
}

/** The locale in which numbers and dates are written. */
export function locale(): string {
  return catalogue.language === 'de' ? 'de-DE' : 'en-GB'
}

const shown = createStore<{ language: Shown }>(() => ({ language: 'en' }))

/** Changes whenever the page is to be written anew. */
export function useShownLanguage(): Shown {
  return useStore(shown, (state) => state.language)
}

/** The language this browser was told last, loaded before the first paint; prepare.js has set `lang` by then. */
export async function startLanguage(): Promise<void> {
  await show(resolve(LANGUAGES.find((language) => language === recall('language')) ?? 'system'))
}

/** Holds for the whole page at once, or as soon as the catalogue is there. */
export async function setLanguage(language: Language): Promise<void> {
  remember('language', language)
  await show(resolve(language))
}

let wanted: Shown = 'en'

async function show(language: Shown): Promise<void> {
  wanted = language
  if (language === 'de' && !catalogue.hasResourceBundle('de', 'translation')) {
    const { german } = await import('../locales/de/index.ts')
    catalogue.addResourceBundle('de', 'translation', german)
  }
  if (language !== wanted) return // Chosen differently while the catalogue came.
  await catalogue.changeLanguage(language)
  shown.setState({ language })
}

function resolve(language: Language): Shown {
  if (language !== 'system') return language
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en'
}

/** A sentence that a constant holds, in English; `t` gives what is shown. No string, so that nobody shows it as it is. */
export interface English {
  readonly english: never
}

/** Marks a sentence of a constant, which is made before the language is known, for `t` and for the catalogue's test. */
export function english(sentence: string): English {
  return sentence as unknown as English
}
