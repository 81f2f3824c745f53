/** Compares a folder of flows with Millrace, based on the content that they last had in common. */
import type { NormalSource } from '../../engine/flow-source/normal-form.ts'
import { listFlowSourcesRoute } from '../../../shared/contract/flow-files.ts'
import type { FolderFlow, Synced } from './flow-folder.ts'
import { MOST_A_PAGE } from './find-record.ts'
import type { HostClient } from './host-client.ts'

export interface StoredFlow {
  readonly source: NormalSource
  readonly revision: string
}

/**
 * The side that changed since the last pull or push. `folder` means that only the file was changed or created,
 * `millrace` only the flow. `both` is a conflict, also if it isn't known which of the two is newer.
 */
export type ChangedIn = 'none' | 'folder' | 'millrace' | 'both'

export interface ComparedFlow {
  readonly id: string
  readonly name: string
  /** Null if there is no file. */
  readonly local: FolderFlow | null
  /** Null if there is no flow. */
  readonly stored: StoredFlow | null
  readonly changedIn: ChangedIn
  /** True if the folder and this Millrace once had the flow in common. */
  readonly wasSynced: boolean
}

export function compareFlows(
  files: readonly FolderFlow[],
  stored: readonly StoredFlow[],
  synced: Synced,
): ComparedFlow[] {
  const local = new Map(files.map((flow) => [flow.normal.id, flow]))
  const there = new Map(stored.map((flow) => [flow.source.id, flow]))
  return [...new Set([...local.keys(), ...there.keys()])]
    .map((id): ComparedFlow => {
      const pair = { local: local.get(id) ?? null, stored: there.get(id) ?? null }
      const name = pair.local?.normal.name ?? pair.stored?.source.name ?? id
      return { id, name, ...pair, changedIn: changedIn(pair, synced.get(id)), wasSynced: synced.has(id) }
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
}

export function changedIn(
  {
    local,
    stored,
  }: {
    readonly local: { readonly revision: string } | null
    readonly stored: { readonly revision: string } | null
  },
  synced: { readonly file: string; readonly flow: string } | undefined,
): ChangedIn {
  if (local?.revision === stored?.revision) return 'none'
  const inFolder = local?.revision !== synced?.file
  const inMillrace = stored?.revision !== synced?.flow
  if (inFolder && inMillrace) return 'both'
  return inFolder ? 'folder' : inMillrace ? 'millrace' : 'none'
}

export async function listFlowSources(host: HostClient): Promise<StoredFlow[]> {
  const all: StoredFlow[] = []
  for (let page = 1; ; page++) {
    // Sorted so that a flow created in the meantime doesn't move others to the next page.
    const query = { page: String(page), per_page: String(MOST_A_PAGE), sort: 'created_at' }
    const some = await host.call(listFlowSourcesRoute, { query })
    all.push(...(some as unknown as StoredFlow[]))
    if (some.length < MOST_A_PAGE) return all
  }
}
