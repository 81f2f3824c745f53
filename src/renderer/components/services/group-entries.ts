import { t } from '../../lib/i18n.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import type { Entry } from './catalogue.ts'

/** Shows the other actions of a service. */
export interface MoreEntry {
  readonly kind: 'more'
  readonly id: string
  readonly label: string
  readonly connector: Connector
}

export interface EntryGroup {
  readonly [key: string]: unknown
  readonly id: string
  readonly value: string
  readonly connector?: Connector
  readonly items: readonly (Entry | MoreEntry)[]
}

/** Groups the results by service, in the order of each group's best entry. */
export function groupFound(found: readonly Entry[]): readonly EntryGroup[] {
  const groups = Map.groupBy(found, groupOf)
  const most = groups.size === 1 ? MOST_IN_ONE : MOST_IN_EACH
  return [...groups].slice(0, MOST_GROUPS).map(([id, items]) => {
    const [first] = items
    const connector = first?.kind === 'action' ? first.connector : undefined
    const shown = items.slice(0, most)
    const rest = items.length - shown.length
    return {
      id,
      value: first === undefined ? '' : nameOf(first),
      ...(connector && { connector }),
      items:
        connector === undefined || rest === 0 || groups.size === 1
          ? shown
          : [...shown, moreOf(connector, rest)],
    }
  })
}

export function moreOf(connector: Connector, count: number): MoreEntry {
  return {
    kind: 'more',
    id: `more ${connector.id}`,
    label: t('{{count}} more of {{name}}', { count, name: connector.name }),
    connector,
  }
}

function groupOf(entry: Entry): string {
  if (entry.kind === 'action') return entry.connector.id
  return entry.kind === 'part' ? `plugin ${entry.plugin}` : entry.kind
}

function nameOf(entry: Entry): string {
  if (entry.kind === 'action') return entry.connector.name
  if (entry.kind === 'part') return entry.plugin
  return entry.kind === 'sample' ? t('New flow from a sample') : t('Steps')
}

const MOST_GROUPS = 8
const MOST_IN_EACH = 4
/** Drawing thousands of entries would only be slow; typing finds the others. */
const MOST_IN_ONE = 60
