import { createStore } from 'zustand/vanilla'
import {
  createConnectorAuthRoute,
  deleteConnectorAuthRoute,
  listConnectorAuthsRoute,
  updateConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import { listConnectorsRoute } from '../../../shared/contract/connectors.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import type { AppError } from '../../../shared/contract/errors.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'
import type { AuthBody } from './auth-draft.ts'

interface AuthsState {
  readonly auths: readonly ConnectorAuth[] | null
  readonly connectors: readonly Connector[]
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  readonly create: (body: AuthBody) => Promise<ConnectorAuth>
  readonly update: (id: string, body: Partial<AuthBody>) => Promise<ConnectorAuth>
  /** `force` deletes it although flows use it. */
  readonly remove: (id: string, force: boolean) => Promise<void>
}

export function createAuthsStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<AuthsState>()((set) => {
    const load = async () => {
      try {
        const [auths, connectors] = await Promise.all([
          api.call(listConnectorAuthsRoute, {}),
          api.call(listConnectorsRoute, { query: { sort: 'name' } }),
        ])
        set({ auths, connectors, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      auths: null,
      connectors: [],
      failure: null,
      opened: followNouns(api, ['connector_auth', 'connector'], load),
      reload: load,
      async create(body) {
        const auth = await api.call(createConnectorAuthRoute, { body })
        await load()
        return auth
      },
      async update(id, body) {
        const auth = await api.call(updateConnectorAuthRoute, { params: { id }, body })
        await load()
        return auth
      },
      async remove(id, force) {
        const query = force ? { force: 'true' as const } : {}
        await api.call(deleteConnectorAuthRoute, { params: { id }, query })
        set(({ auths }) => ({ auths: auths?.filter((auth) => auth.id !== id) ?? null }))
      },
    }
  })
}

export const useAuths = createStoreHook(createAuthsStore)
