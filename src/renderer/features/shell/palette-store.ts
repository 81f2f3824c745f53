import { createStore } from 'zustand/vanilla'
import { listConnectorAuthsRoute } from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { listActionsRoute, listConnectorsRoute } from '../../../shared/contract/connectors.ts'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import type { Section } from '../../../shared/docs.ts'
import { listFlowsRoute, updateFlowRoute } from '../../../shared/contract/flows.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { Api } from '../../api/create-api.ts'
import { listAll } from '../../api/list-all.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface PaletteState {
  readonly flows: readonly Flow[]
  readonly connectors: readonly Connector[]
  /** Of connectors. */
  readonly actions: readonly Action[]
  readonly auths: readonly ConnectorAuth[]
  /** Of the documentation, which is loaded apart from the page. */
  readonly sections: readonly Section[]
  /** Loads everything that can be opened; known entries are shown in the meantime. */
  readonly opened: () => Promise<void>
  readonly statusChosen: (flow: Flow, status: Flow['status']) => Promise<void>
}

/** Of each noun; the others are found on their own screen. */
const MOST = 2_000

export function createPaletteStore(api: Pick<Api, 'call' | 'list'>) {
  return createStore<PaletteState>()((set) => ({
    flows: [],
    connectors: [],
    actions: [],
    auths: [],
    sections: [],
    async opened() {
      // The lists are independent: one that can't be loaded leaves the others usable.
      await Promise.allSettled([
        listAll(api, listFlowsRoute, {}, { most: MOST }).then((flows) => set({ flows })),
        listAll(api, listConnectorsRoute, {}, { most: MOST }).then((connectors) => set({ connectors })),
        listAll(api, listActionsRoute, {}, { most: MOST }).then((actions) => set({ actions })),
        listAll(api, listConnectorAuthsRoute, {}, { most: MOST }).then((auths) => set({ auths })),
        import('./help/docs.ts').then(({ SECTIONS }) => set({ sections: SECTIONS })),
      ])
    },
    async statusChosen({ id }, status) {
      await api.call(updateFlowRoute, { params: { id }, body: { status } })
    },
  }))
}

export const usePalette = createStoreHook(createPaletteStore)
