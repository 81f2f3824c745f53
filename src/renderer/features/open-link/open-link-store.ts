import { createStore } from 'zustand/vanilla'
import { readFlowRoute } from '../../../shared/contract/flows.ts'
import { readImportUrlRoute } from '../../../shared/contract/import-sources.ts'
import type { Api } from '../../api/create-api.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface OpenLinkState {
  /** The name of the flow; null if there is none with this id. */
  readonly flowName: (id: string) => Promise<string | null>
  /** The text at the URL, once the user has asked for it. */
  readonly readUrl: (url: string) => Promise<string>
}

export function createOpenLinkStore(api: Pick<Api, 'call'>) {
  return createStore<OpenLinkState>()(() => ({
    flowName: async (id) => {
      const flow = await api.call(readFlowRoute, { params: { id } }).catch(() => null)
      return flow?.name ?? null
    },
    readUrl: async (url) => (await api.call(readImportUrlRoute, { body: { url } })).source,
  }))
}

export const useOpenLink = createStoreHook(createOpenLinkStore)
