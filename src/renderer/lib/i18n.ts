import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { type Language, LANGUAGES } from '../../shared/contract/settings.ts'
import type { Catalogue, Values } from './catalogue.ts'
import { recall, remember } from './remembered.ts'

/** A sentence that a constant holds, in English; `t` gives what is shown. No string, so that nobody shows it as it is. */
export interface English {
  readonly english: never
}

/** The language that is shown, when the settings leave it to the system or name it. */
type Shown = Exclude<Language, 'system'>

/** English needs none: its sentences stand in the sources, and the first paint waits for nothing. */
let catalogue: Catalogue | null = null

/**
 * The sentence in the language of the page: `t('Made “{{name}}”', { name })`. To be called where the sentence is shown,
 * never while a module loads, since the language is not known then. What no value is given for, such as `{{ web1.id }}`
 * in a sentence about templates, stands for itself.
 */
export function t(sentence: string | English, values?: Values): string {
  const english = sentence as string
  const written = values === undefined ? undefined : localize(values)
  return catalogue === null ? fill(english, written) : catalogue.find(english, written)
}

/**
 * A sentence that depends on a number: `tn(3, '{{count}} step left', '{{count}} steps left')`. The second sentence is
 * the key; the catalogue has it with `_one` and `_other`.
 */
export function tn(count: number, one: string, other: string, values?: Values): string {
  const written = localize({ ...values, count })
  return catalogue === null
    ? fill(count === 1 ? one : other, written)
    : catalogue.count(count, other, written)
}

/**
 * A sentence that the program wrote, in the language of the page. The API speaks English, since scripts read it too; the
 * forms of what it says most are known, values and all, and other sentences stay as they are.
 */
export function translateMessage(sentence: string): string {
  return catalogue === null ? sentence : catalogue.message(sentence)
}

/**
 * What a connector calls an action, a field, a group, or says of it. Texts of built-in connectors appear in the language
 * of the page. Those of all others, copies included, appear as they were written, even if the words are the same.
 */
export function translateConnectorText(
  text: string,
  connector: { readonly built_in: boolean } | undefined,
): string {
  return catalogue === null || connector?.built_in !== true ? text : catalogue.connectorText(text)
}

/** Marks a sentence of a constant, which is made before the language is known, for `t` and for the catalogue's test. */
export function english(sentence: string): English {
  // It is a string; the type hides that, so that only `t` can show it.
  return sentence as unknown as English
}

/** The locale in which numbers and dates are written. */
export function locale(): string {
  return shown.getState().language === 'de' ? 'de-DE' : 'en-GB'
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
  if (language === shown.getState().language) return
  const loaded = language === 'de' ? await loadGerman() : null
  if (language !== wanted) return // Chosen differently while the catalogue came.
  catalogue = loaded
  shown.setState({ language })
}

async function loadGerman(): Promise<Catalogue> {
  const [{ createCatalogue }, { german, germanOfConnectors, germanOfProgram }] = await Promise.all([
    import('./catalogue.ts'),
    import('../locales/de/index.ts'),
  ])
  return createCatalogue('de', german, germanOfProgram, germanOfConnectors)
}

function resolve(language: Language): Shown {
  if (language !== 'system') return language
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en'
}

function localize(values: Values): Values {
  const { count } = values
  return typeof count === 'number' ? { ...values, count: count.toLocaleString(locale()) } : values
}

function fill(sentence: string, values: Values | undefined): string {
  if (values === undefined) return sentence
  return sentence.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
}
