import MiniSearch from 'minisearch'
import type { Action } from '../../../shared/contract/connectors.ts'
import type { Entry } from './catalogue.ts'

export interface EntrySearch {
  /** Best first; `lifted` entries come before others that are about as good. */
  readonly find: (typed: string, lifted?: (id: string) => number) => readonly Entry[]
}

/** Finds entries by what somebody wants: `hubspot contacts`, `every new email`, `in Datenbank speichern`. */
export function createEntrySearch(entries: readonly Entry[]): EntrySearch {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  // Of equally good entries, the one that comes first in the list wins.
  const places = new Map(entries.map(({ id }, place) => [id, place]))
  const index = new MiniSearch<Entry>({
    fields: ['label', 'service', 'words', 'purpose'],
    idField: 'id',
    extractField: (entry, field) => (field === 'service' ? serviceOf(entry) : entry[field as 'label']),
    // A word that a field repeats is indexed once.
    tokenize: (text) => [...new Set(wordsOf(text))],
    processTerm: (term) => term,
    storeFields: [],
    searchOptions: {
      boost: { label: 4, service: 4, words: 3, purpose: 1 },
      prefix: (term) => term.length >= 2,
      fuzzy: (term) => (term.length >= 5 ? 1 : false),
      weights: { prefix: 0.6, fuzzy: 0.2 },
      bm25: { k: 1.2, b: 0, d: 0.5 },
    },
  })
  index.addAll(entries)
  const has = (word: string) => index.search(word, { fuzzy: false }).length > 0
  return {
    find(typed, lifted) {
      const wanted = wordsOf(typed)
      const telling = wanted.filter((word) => !FILLERS.has(word))
      const searched = telling.length === 0 ? wanted : telling
      if (searched.length === 0) return []
      const whole = searched.join(' ')
      const found = index.search(searched.map((word) => knownPart(word, has)).join(' '), {
        boostDocument: (id: string) => {
          const entry = byId.get(id)
          const place = 1 - (places.get(id) ?? 0) / (50 * entries.length)
          return entry === undefined ? 0 : worthOf(entry, whole) * place * (lifted?.(id) ?? 1)
        },
      })
      const most = Math.max(0, ...found.map(({ queryTerms }) => new Set(queryTerms).size))
      return found
        .filter(({ queryTerms }) => new Set(queryTerms).size === most)
        .flatMap(({ id }) => byId.get(id as string) ?? [])
    },
  }
}

/** German has compound words. If no entry has a word, this finds the longest end or beginning of it that one has. */
function knownPart(word: string, has: (word: string) => boolean): string {
  if (word.length < SHORTEST_JOINED || has(word)) return word
  for (let length = word.length - 2; length >= SHORTEST_PART; length -= 1) {
    const part = [word.slice(-length), word.slice(0, length)].find(has)
    if (part !== undefined) return part
  }
  return word
}

const SHORTEST_PART = 5
const SHORTEST_JOINED = 9

/** An exact name is surely what is meant; otherwise a step type is more likely than one of hundreds of actions. */
function worthOf(entry: Entry, typed: string): number {
  const worth = entry.kind === 'action' ? worthOfAction(entry.action) : KINDS[entry.kind]
  return wordsOf(entry.label).join(' ') === typed ? worth * 4 : worth
}

/** The order of actions if the search names no operation: read a list, create something, read it, change it. */
function worthOfAction({ supports_automatic_pagination: isList, method }: Action): number {
  if (isList) return method === 'GET' ? 1.3 : 1.1
  return method === 'POST' ? 1.1 : method === 'GET' ? 1 : 0.8
}

const KINDS = { type: 2, part: 2, service: 1, sample: 0.7 } as const

const serviceOf = (entry: Entry) =>
  entry.kind === 'action' || entry.kind === 'service'
    ? entry.connector.name
    : entry.kind === 'part'
      ? entry.plugin
      : ''

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('e-mail', 'email')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Words that say nothing about a step. */
const FILLERS = new Set(
  `a an the to of in on at for when i my want is it with from and or some this that
  ein eine einen einem einer der die das den dem des zu in im am an auf von vom fur wenn mit und oder mein meine ich
  will soll zum zur aus etwas als`.split(/\s+/),
)
