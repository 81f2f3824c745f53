import { useMemo } from 'react'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import type { FlowSample } from '../../../shared/contract/flow-samples.ts'
import type { Plugin } from '../../../shared/contract/plugins/plugins.ts'
import { AUTH_USES, ACTIONS, CONNECTOR_AUTHS, CONNECTORS, FLOW_SAMPLES } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { useShownLanguage } from '../../lib/i18n.ts'
import { recall, remember } from '../../lib/remembered.ts'
import { authsMeant, catalogueOf, type Entry } from './catalogue.ts'
import { createEntrySearch, type EntrySearch } from './find-entries.ts'

interface Catalogue {
  readonly entries: readonly Entry[]
  readonly find: EntrySearch['find']
}

const NONE: readonly [] = []
const EMPTY: Catalogue = { entries: NONE, find: () => NONE }

/** Shared by all places that offer it, so that only the first one that searches builds the index. */
let made: { readonly of: readonly unknown[]; readonly catalogue: Catalogue } | undefined

/** The catalogue of additions to a flow; empty unless it is wanted. */
export function useCatalogue(wanted: boolean, plugins: readonly Plugin[] | null): Catalogue {
  const connectors = useResource(wanted ? CONNECTORS : null).data
  const actions = useResource(wanted ? ACTIONS : null).data
  const samples = useResource(wanted ? FLOW_SAMPLES : null).data
  const language = useShownLanguage()
  return useMemo(
    () => (wanted ? sharedCatalogue([connectors, actions, plugins, samples], language) : EMPTY),
    [wanted, connectors, actions, plugins, samples, language],
  )
}

type Read<T> = readonly T[] | null
type ReadLists = readonly [Read<Connector>, Read<Action>, Read<Plugin>, Read<FlowSample>]

function sharedCatalogue(lists: ReadLists, language: string): Catalogue {
  const of = [...lists, language]
  if (made?.of.every((one, index) => one === of[index]) === true) return made.catalogue
  const [connectors, actions, plugins, samples] = lists
  const entries = catalogueOf({
    connectors: connectors ?? NONE,
    actions: actions ?? NONE,
    plugins: plugins ?? NONE,
    samples: samples ?? NONE,
  })
  let search: EntrySearch | undefined
  made = {
    of,
    catalogue: { entries, find: (...asked) => (search ??= createEntrySearch(entries)).find(...asked) },
  }
  return made.catalogue
}

const NO_AUTHS: ReadonlyMap<string, ConnectorAuth> = new Map()

/** Keyed by connector; empty unless they are wanted. */
export function useAuthsMeant(wanted: boolean): ReadonlyMap<string, ConnectorAuth> {
  const auths = useResource(wanted ? CONNECTOR_AUTHS : null).data
  const uses = useResource(wanted ? AUTH_USES : null).data
  return useMemo(() => (auths === null ? NO_AUTHS : authsMeant(auths, uses ?? [])), [auths, uses])
}

const RECENT = 'recent-steps'
const MOST_RECENT = 6

/** IDs of the entries that were chosen last, in any flow. */
export function recentEntries(): readonly string[] {
  return (recall(RECENT) ?? '').split('\n').filter((id) => id !== '')
}

export function rememberEntry(id: string): void {
  remember(RECENT, [id, ...recentEntries().filter((one) => one !== id)].slice(0, MOST_RECENT).join('\n'))
}
