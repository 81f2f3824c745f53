import { createStore } from 'zustand/vanilla'
import {
  createEnvVariableRoute,
  deleteEnvVariableRoute,
  listEnvVariablesRoute,
  updateEnvVariableRoute,
} from '../../../shared/contract/env-variables.ts'
import type { EnvVariable } from '../../../shared/contract/env-variables.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { RouteRequest } from '../../../shared/contract/base/route.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { listAll } from '../../api/list-all.ts'
import { createStoreHook } from '../../api/provider.tsx'

export type EnvVariableBody = NonNullable<RouteRequest<typeof createEnvVariableRoute>['body']>

interface EnvVariablesState {
  readonly variables: readonly EnvVariable[] | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  readonly create: (body: EnvVariableBody) => Promise<void>
  readonly update: (id: string, body: Partial<EnvVariableBody>) => Promise<void>
  readonly remove: (id: string) => Promise<void>
}

/** Auths that would point to another origin wait for their secrets, as the list of auths shows. */
const REENTRY = { reentry: 'true' } as const

export function createEnvVariablesStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  return createStore<EnvVariablesState>()((set) => {
    const load = async () => {
      try {
        set({ variables: await listAll(api, listEnvVariablesRoute, { sort: 'name' }), failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      variables: null,
      failure: null,
      opened: followNouns(api, ['env_variable'], load),
      reload: load,
      async create(body) {
        await api.call(createEnvVariableRoute, { query: REENTRY, body })
        await load()
      },
      async update(id, body) {
        await api.call(updateEnvVariableRoute, { params: { id }, query: REENTRY, body })
        await load()
      },
      async remove(id) {
        await api.call(deleteEnvVariableRoute, { params: { id }, query: REENTRY })
        await load()
      },
    }
  })
}

export const useEnvVariables = createStoreHook(createEnvVariablesStore)
