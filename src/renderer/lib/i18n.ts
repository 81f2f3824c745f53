import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { English } from '../../shared/contract/base/english.ts'
import { SAID, type Said, type Spoken } from '../../shared/contract/base/message.ts'
import { type Language, LANGUAGES } from '../../shared/contract/settings.ts'
import type { Catalogue, Values } from './catalogue.ts'
import { recall, remember } from './remembered.ts'

export type { English }

/** The language that is shown, whether the settings name it or leave it to the system. */
type Shown = Exclude<Language, 'system'>

/** Null for English, whose sentences are in the sources, so that the first paint needn't wait for a catalogue. */
let catalogue: Catalogue | null = null

/**
 * The sentence in the language of the page: `t('Made “{{name}}”', { name })`. Call it where the sentence is shown,
 * never while a module loads, since the language isn't known then. Placeholders without a value, such as `{{ web1.id
 * }}` in a sentence about templates, stay as they are.
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
 * A sentence written by the server, in the language of the page: `translateMessage(error.message, error)`. The API
 * speaks English, since scripts read it too. The object with the sentence also has its key and values, for the
 * catalogue; a sentence without values needs none.
 */
export function translateMessage(sentence: string, speaker?: object): string {
  return catalogue === null ? sentence : catalogue.message(sentence, saidBy(speaker))
}

/** The hint that an object has next to its message; it is one of the values. */
export function translateHint(hint: string, speaker: object): string {
  const said = saidBy(speaker)?.params['hint']
  return translateMessage(hint, typeof said === 'object' ? { said } : undefined)
}

/**
 * Key and values of the sentence of an object. Objects from the server have them in `said`, those of the page under a
 * symbol.
 */
export function saidBy(speaker: object | undefined): Said | undefined {
  const { said, [SAID]: own } = (speaker ?? {}) as { readonly said?: Said } & Spoken
  return said ?? own
}

/**
 * A connector's name or description of an action, a field or a group. Texts of built-in connectors appear in the
 * language of the page. Those of all others, copies included, appear as written, even if the words are the same.
 */
export function translateConnectorText(
  text: string,
  connector: { readonly built_in: boolean } | undefined,
): string {
  return catalogue === null || connector?.built_in !== true ? text : catalogue.builtInText(text)
}

/** The name or a description of a sample flow. */
export function translateSampleText(text: string): string {
  return catalogue === null ? text : catalogue.builtInText(text)
}

/**
 * Marks a sentence in a constant, which is created before the language is known, for `t` and for the catalogue's
 * test.
 */
export function english(sentence: string): English {
  // It is a string; the type hides that, so that only `t` can show it.
  return sentence as unknown as English
}

/** The English sentence, for a search that finds English words in every language. */
export function inEnglish(sentence: English): string {
  return sentence as unknown as string
}

/** The locale for numbers and dates. */
export function locale(): string {
  return shown.getState().language === 'de' ? 'de-DE' : 'en-GB'
}

const shown = createStore<{ language: Shown }>(() => ({ language: 'en' }))

/** Changes whenever the page must be rendered again. */
export function useShownLanguage(): Shown {
  return useStore(shown, (state) => state.language)
}

/** The language last used in this browser, loaded before the first paint; prepare.js has set `lang` by then. */
export async function startLanguage(): Promise<void> {
  await show(resolve(LANGUAGES.find((language) => language === recall('language')) ?? 'system'))
}

/** Applies to the whole page at once, or as soon as the catalogue has loaded. */
export async function setLanguage(language: Language): Promise<void> {
  remember('language', language)
  await show(resolve(language))
}

let wanted: Shown = 'en'

async function show(language: Shown): Promise<void> {
  wanted = language
  if (language === shown.getState().language) return
  const loaded = language === 'de' ? await loadGerman() : null
  if (language !== wanted) return // Another language was chosen while the catalogue was loading.
  catalogue = loaded
  shown.setState({ language })
}

async function loadGerman(): Promise<Catalogue> {
  const [{ createCatalogue }, { german, germanOfConnectors, germanOfProgram, germanOfSamples }] =
    await Promise.all([import('./catalogue.ts'), import('../locales/de/index.ts')])
  return createCatalogue('de', german, germanOfProgram, { ...germanOfConnectors, ...germanOfSamples })
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
