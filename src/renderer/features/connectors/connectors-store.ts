import { createStore } from 'zustand/vanilla'
import {
  exportConnectorRoute,
  importConnectorRoute,
  planImportRoute,
} from '../../../shared/contract/connector-imports.ts'
import type { ConnectorFile, ConnectorImportPlan } from '../../../shared/contract/connector-imports.ts'
import {
  copyConnectorRoute,
  createConnectorRoute,
  deleteConnectorRoute,
  listActionsRoute,
  listConnectorsRoute,
  readConnectorImageRoute,
} from '../../../shared/contract/connectors.ts'
import { readImportUrlRoute } from '../../../shared/contract/import-sources.ts'
import { listConnectorAuthsRoute } from '../../../shared/contract/connector-auths.ts'
import { listFlowsRoute } from '../../../shared/contract/flows.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import type { Action, Connector, ConnectorPatch } from '../../../shared/contract/connectors.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { SaveWarning } from '../../../shared/contract/base/save-warnings.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { listAll } from '../../api/list-all.ts'
import { stepsWithin } from '../../lib/steps-within.ts'
import { createStoreHook } from '../../api/provider.tsx'
import type { Changes } from './connector-draft.ts'
import { saveChanges } from './save-changes.ts'
import type { SaveOutcome } from './save-changes.ts'

export interface ConnectorCounts {
  readonly actions: number
  readonly auths: number
  readonly flows: number
}

interface ConnectorsState {
  readonly connectors: readonly Connector[] | null
  /** For each connector: its actions, its auths and the flows that use it. Empty until they are counted. */
  readonly counts: Readonly<Record<string, ConnectorCounts>>
  /** Images by connector, as data URLs. */
  readonly images: Readonly<Record<string, string>>
  /** By connector; absent until they are requested. */
  readonly actions: Readonly<Record<string, readonly Action[]>>
  readonly failure: AppError | null
  /** The warnings of the last save of the connector or of an action. */
  readonly warnings: readonly SaveWarning[]
  readonly dismissWarnings: () => void
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  /** The list is on screen: counts what belongs to each connector. */
  readonly countsWanted: () => Promise<void>
  readonly connectorOpened: (id: string) => Promise<void>
  readonly create: (body: ConnectorPatch & Pick<Connector, 'name'>) => Promise<Connector>
  readonly copy: (id: string) => Promise<Connector>
  /** The text at a URL of this machine. */
  readonly readImportUrl: (url: string) => Promise<string>
  readonly planImport: (source: string) => Promise<ConnectorImportPlan>
  readonly makeImport: (file: ConnectorFile) => Promise<Connector>
  readonly exported: (id: string) => Promise<ConnectorFile>
  readonly remove: (id: string) => Promise<void>
  /** Saves a connector with its actions and reports the parts that were refused. */
  readonly saved: (connector: Connector, changes: Changes) => Promise<SaveOutcome>
}

export function createConnectorsStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  return createStore<ConnectorsState>()((set, get) => {
    async function readActions(connectorId: string): Promise<void> {
      const query = { filter: `connector_id,eq,${connectorId}`, sort: 'title' }
      const actions = await listAll(api, listActionsRoute, query)
      set((state) => ({ actions: { ...state.actions, [connectorId]: actions } }))
    }

    const load = async () => {
      try {
        const known = Object.keys(get().actions)
        const connectors = await api.call(listConnectorsRoute, { query: { sort: 'name' } })
        set({ connectors, failure: null })
        await Promise.all(known.filter((id) => connectors.some((one) => one.id === id)).map(readActions))
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      connectors: null,
      counts: {},
      images: {},
      actions: {},
      failure: null,
      warnings: [],
      dismissWarnings: () => set({ warnings: [] }),
      opened: followNouns(api, ['connector', 'connector_action'], load),
      reload: load,
      async countsWanted() {
        const [actions, auths, flows] = await Promise.all([
          listAll(api, listActionsRoute),
          listAll(api, listConnectorAuthsRoute),
          listAll(api, listFlowsRoute),
        ]).catch(() => [[], [], []] as const)
        const counts: Record<string, { actions: number; auths: number; flows: number }> = {}
        const of = (id: string) => (counts[id] ??= { actions: 0, auths: 0, flows: 0 })
        for (const action of actions) of(action.connector_id).actions += 1
        for (const auth of auths) of(auth.connector_id).auths += 1
        for (const { steps } of flows) for (const id of connectorsOf(steps)) of(id).flows += 1
        set({ counts })
        await Promise.all(
          (get().connectors ?? [])
            .filter(({ id, image_url: url }) => url !== '' && get().images[id] === undefined)
            .map(async ({ id }) => {
              const image = await api.call(readConnectorImageRoute, { params: { id } }).catch(() => null)
              if (image === null) return
              const url = `data:${image.content_type};base64,${image.base64}`
              set(({ images }) => ({ images: { ...images, [id]: url } }))
            }),
        )
      },
      async connectorOpened(id) {
        set({ warnings: [] })
        try {
          await readActions(id)
        } catch (error) {
          set({ failure: asAppError(error) })
        }
      },
      async create(body) {
        const connector = await api.call(createConnectorRoute, { body })
        await load()
        return connector
      },
      async copy(id) {
        const connector = await api.call(copyConnectorRoute, { params: { id }, body: {} })
        await load()
        return connector
      },
      readImportUrl: async (url) => (await api.call(readImportUrlRoute, { body: { url } })).source,
      planImport: (source) => api.call(planImportRoute, { body: { source } }),
      async makeImport(file) {
        const connector = await api.call(importConnectorRoute, { body: file })
        await load()
        return connector
      },
      exported: (id) => api.call(exportConnectorRoute, { params: { id } }),
      async remove(id) {
        await api.call(deleteConnectorRoute, { params: { id } })
        await load()
      },
      async saved(connector, changes) {
        const actions = get().actions[connector.id] ?? []
        const outcome = await saveChanges(api, connector, actions, changes)
        set({ warnings: outcome.warnings })
        await load()
        return outcome
      },
    }
  })
}

export const useConnectors = createStoreHook(createConnectorsStore)

/** The connectors used by steps, nested ones included. */
function connectorsOf(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(
    stepsWithin(steps).flatMap(({ config }) => {
      const { connector_id: id } = config as { readonly connector_id?: unknown }
      return typeof id === 'string' ? [id] : []
    }),
  )
}
