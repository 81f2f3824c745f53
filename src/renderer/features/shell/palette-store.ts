import { createStore } from 'zustand/vanilla'
import { listConnectorAuthsRoute } from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { listActionsRoute, listConnectorsRoute } from '../../../shared/contract/connectors.ts'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { listFlowsRoute } from '../../../shared/contract/flows.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import type { Api } from '../../api/create-api.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface PaletteState {
  readonly flows: readonly Flow[]
  readonly runs: readonly FlowRun[]
  readonly connectors: readonly Connector[]
  /** Of connectors. */
  readonly actions: readonly Action[]
  readonly auths: readonly ConnectorAuth[]
  /** Asks for all that can be gone to; what was known before is shown meanwhile. */
  readonly opened: () => Promise<void>
}

const MANY = '200'

export function createPaletteStore(api: Pick<Api, 'call'>) {
  return createStore<PaletteState>()((set) => ({
    flows: [],
    runs: [],
    connectors: [],
    actions: [],
    auths: [],
    async opened() {
      // Each list stands for itself: one that cannot be had leaves the others usable.
      await Promise.allSettled([
        api.call(listFlowsRoute, { query: { per_page: MANY } }).then((flows) => set({ flows })),
        api.call(listFlowRunsRoute, { query: { per_page: '50' } }).then((runs) => set({ runs })),
        api
          .call(listConnectorsRoute, { query: { per_page: MANY } })
          .then((connectors) => set({ connectors })),
        api.call(listActionsRoute, { query: { per_page: MANY } }).then((actions) => set({ actions })),
        api.call(listConnectorAuthsRoute, { query: { per_page: MANY } }).then((auths) => set({ auths })),
      ])
    },
  }))
}

export const usePalette = createStoreHook(createPaletteStore)
