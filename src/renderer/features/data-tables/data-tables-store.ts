import { createStore } from 'zustand/vanilla'
import {
  createDataTableRoute,
  deleteDataTableRoute,
  listDataTablesRoute,
} from '../../../shared/contract/data/data-tables.ts'
import type { DataTable } from '../../../shared/contract/data/data-tables.ts'
import { listFlowsRoute } from '../../../shared/contract/flows.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { RouteRequest } from '../../../shared/contract/base/route.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { listAll } from '../../api/list-all.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { stepsWithin } from '../../lib/steps-within.ts'

type NewTable = NonNullable<RouteRequest<typeof createDataTableRoute>['body']>

interface DataTablesState {
  readonly tables: readonly DataTable[] | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  readonly create: (body: NewTable) => Promise<DataTable>
  readonly remove: (id: string) => Promise<void>
  /** The names of the flows with a step that uses the table; null if they can't be read. */
  readonly flowsUsing: (table: DataTable) => Promise<readonly string[] | null>
}

export function createDataTablesStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  return createStore<DataTablesState>()((set) => {
    const load = async () => {
      try {
        set({ tables: await listAll(api, listDataTablesRoute, { sort: 'name' }), failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      tables: null,
      failure: null,
      opened: followNouns(api, ['data_table'], load),
      reload: load,
      async create(body) {
        const table = await api.call(createDataTableRoute, { body })
        await load()
        return table
      },
      async remove(id) {
        await api.call(deleteDataTableRoute, { params: { id } })
        await load()
      },
      async flowsUsing({ id, name }) {
        const flows = await listAll(api, listFlowsRoute, { sort: 'name' }).catch(() => null)
        if (flows === null) return null
        return flows.filter(({ steps }) => usesTable(steps, [id, name])).map((flow) => flow.name)
      },
    }
  })
}

export const useDataTables = createStoreHook(createDataTablesStore)

function usesTable(steps: Parameters<typeof stepsWithin>[0], namesOrIds: readonly string[]): boolean {
  return stepsWithin(steps).some(({ type, config }) => {
    const { table } = config as { readonly table?: unknown }
    return type === 'data_table' && typeof table === 'string' && namesOrIds.includes(table)
  })
}
