import { createStore } from 'zustand/vanilla'
import { listConnectorAuthsRoute } from '../../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth } from '../../../../shared/contract/connector-auths.ts'
import { listActionsRoute, listConnectorsRoute } from '../../../../shared/contract/connectors.ts'
import type { Action, Connector } from '../../../../shared/contract/connectors.ts'
import type { Api } from '../../../api/create-api.ts'
import { followNouns } from '../../../api/follow.ts'
import { createStoreHook } from '../../../api/provider.tsx'
import { listAll } from '../../../api/list-all.ts'

interface CatalogueState {
  readonly connectors: readonly Connector[]
  readonly auths: readonly ConnectorAuth[]
  /** By connector; absent until they are requested. */
  readonly actions: Readonly<Record<string, readonly Action[]>>
  readonly opened: () => () => void
  readonly connectorChosen: (connectorId: string) => Promise<void>
}

/**
 * What steps can use. What couldn't be loaded stays as it was: a form then shows IDs, and saving reports problems.
 */
export function createCatalogueStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<CatalogueState>()((set, get) => {
    async function readActions(connectorId: string): Promise<void> {
      if (connectorId === '') return
      const query = { filter: `connector_id,eq,${connectorId}`, sort: 'title' }
      const actions = await listAll(api, listActionsRoute, query).catch(() => null)
      if (actions !== null) set((state) => ({ actions: { ...state.actions, [connectorId]: actions } }))
    }

    const load = async () => {
      const [connectors, auths] = await Promise.all([
        api.call(listConnectorsRoute, { query: { sort: 'name' } }).catch(() => get().connectors),
        api.call(listConnectorAuthsRoute, {}).catch(() => get().auths),
        ...Object.keys(get().actions).map(readActions),
      ])
      set({ connectors, auths })
    }

    return {
      connectors: [],
      auths: [],
      actions: {},
      opened: followNouns(api, ['connector', 'connector_action', 'connector_auth'], load),
      async connectorChosen(connectorId) {
        if (get().actions[connectorId] === undefined) await readActions(connectorId)
      },
    }
  })
}

export const useCatalogue = createStoreHook(createCatalogueStore)
