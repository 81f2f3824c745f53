import type { ReactNode } from 'react'
import type { LucideIcon } from '../../lib/icons.tsx'
import { scoreMatch } from '../../lib/fuzzy.ts'
import type { Needs } from '../../components/controls/needs.ts'
import { english } from '../../lib/i18n.ts'

/** A screen to open or a command to run. */
export interface PaletteEntry {
  readonly id: string
  readonly group: PaletteGroup
  readonly label: string
  /** What distinguishes it from others with the same name. */
  readonly detail?: string
  /** Further words to find it by. */
  readonly words?: string
  readonly icon: LucideIcon
  /** Shown instead of the icon. */
  readonly mark?: ReactNode
  readonly keys?: string
  /** The route it calls. Without permission to call it, the entry isn't shown. */
  readonly needs?: Needs
  readonly run: () => void
}

export const PALETTE_GROUPS = {
  screen: english('On this page'),
  add: english('Add to this flow'),
  steps: english('Steps of this flow'),
  flows: english('Flows'),
  runs: english('Runs'),
  do: english('Actions'),
  go: english('Go to'),
  settings: english('Settings'),
  connectors: english('Connectors'),
  actions: english('Connector actions'),
  start: english('New flow that starts with'),
  samples: english('New flow from a sample'),
  auths: english('Connector auths'),
  help: english('Help'),
} as const
export type PaletteGroup = keyof typeof PALETTE_GROUPS

export interface PaletteSection {
  readonly group: PaletteGroup
  readonly items: readonly PaletteEntry[]
}

/**
 * Finds a few entries of each group before anything is typed; then the best of each group, starting with the group of
 * the best match.
 */
export function findEntries(entries: readonly PaletteEntry[], typed: string): readonly PaletteSection[] {
  const scored = withoutDoubles(entries).flatMap((entry) => {
    const score = scoreMatch(typed, [entry.label, entry.detail, entry.words].filter(Boolean).join(' '))
    // The catalogue's own search has matched it already, also by words that aren't shown.
    if (score === null && CATALOGUE.has(entry.group)) return [{ entry, score: 0.5 }]
    return score === null ? [] : [{ entry, score }]
  })
  const most = typed.trim() === '' ? MOST_BEFORE : MOST_FOUND
  return GROUPS.map((group) => {
    const isHelp = group === 'help'
    const found = scored.filter(({ entry }) => entry.group === group)
    if (typed.trim() !== '' && !CATALOGUE.has(group)) found.sort((a, b) => b.score - a.score)
    // The documentation has nearly every word, so it comes after entries that have the word in their name.
    return {
      group,
      best: isHelp ? 0 : (found[0]?.score ?? 0),
      items: found
        .slice(0, isHelp ? MOST_HELP : CATALOGUE.has(group) ? MOST_OF_CATALOGUE : most)
        .map(({ entry }) => entry),
    }
  })
    .filter(({ items }) => items.length > 0)
    .sort((a, b) => (typed.trim() === '' ? 0 : Math.floor(b.best) - Math.floor(a.best)))
    .map(({ group, items }) => ({ group, items }))
}

/** The screen's own commands aren't offered a second time. */
function withoutDoubles(entries: readonly PaletteEntry[]): readonly PaletteEntry[] {
  const ofScreen = new Set(entries.filter(({ group }) => group === 'screen').map(({ label }) => label))
  return entries.filter(({ group, label }) => group !== 'do' || !ofScreen.has(label))
}

const CATALOGUE: ReadonlySet<PaletteGroup> = new Set(['add', 'actions', 'start', 'samples'])
const GROUPS = Object.keys(PALETTE_GROUPS) as PaletteGroup[]
const MOST_BEFORE = 5
const MOST_FOUND = 12
const MOST_HELP = 6
const MOST_OF_CATALOGUE = 6
