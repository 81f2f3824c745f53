import { createStore } from 'zustand/vanilla'
import {
  exportDataRowsRoute,
  importDataRowsRoute,
  insertDataRowsRoute,
  listDataRowsRoute,
  readDataTableRoute,
  updateDataRowsRoute,
  updateDataTableRoute,
} from '../../../shared/contract/data/data-tables.ts'
import type { DataRow, DataTable, DataTablePatch } from '../../../shared/contract/data/data-tables.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { RouteRequest, RouteResult } from '../../../shared/contract/base/route.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { cellText } from './cell-text.ts'

type RowFile = NonNullable<RouteRequest<typeof importDataRowsRoute>['body']>

/** The filter and the order of the rows. */
export interface RowView {
  /** Column, after `-` for descending order. */
  readonly sort: string
  /** Rows whose cell in this column contains the text; an empty text shows all. */
  readonly column: string
  readonly contains: string
}

export interface RowsState {
  readonly table: DataTable | null
  readonly rows: readonly DataRow[] | null
  /** The total of all rows that match. */
  readonly total: number
  readonly failure: AppError | null
  readonly view: RowView
  /** Loads the table, and again whenever it changes. */
  readonly opened: (id: string) => () => void
  readonly reload: () => Promise<void>
  readonly viewed: (patch: Partial<RowView>) => Promise<void>
  /** Called when the end of the rows comes into view. */
  readonly endSeen: () => Promise<void>
  readonly changed: (patch: DataTablePatch) => Promise<void>
  readonly cellChanged: (row: DataRow, column: string, value: unknown) => Promise<void>
  readonly rowAdded: () => Promise<void>
  readonly imported: (file: RowFile) => Promise<RouteResult<typeof importDataRowsRoute>>
  readonly exported: (format: 'csv' | 'jsonl') => Promise<Blob>
}

const NEWEST: RowView = { sort: '-_id', column: '', contains: '' }
const PER_PAGE = 200

export function createRowsStore(api: Pick<Api, 'call' | 'download' | 'list' | 'live'>) {
  return createStore<RowsState>()((set, get) => {
    let id = ''
    let after: string | null = null
    /** Counts loads, so that the result of an older one is dropped. */
    let loads = 0
    let isExtending = false

    function page(from: string | null) {
      const { view, table } = get()
      const column = table?.columns.find(({ name }) => name === view.column)?.name ?? table?.columns[0]?.name
      const filter =
        view.contains === '' || column === undefined
          ? {}
          : { filter: `${column},like,${JSON.stringify(`%${view.contains}%`)}` }
      const query = {
        per_page: String(PER_PAGE),
        sort: view.sort,
        ...filter,
        ...(from === null ? {} : { after: from }),
      }
      return api.list(listDataRowsRoute, { params: { id }, query })
    }

    /** Loads as many rows as are shown, so that nothing moves. */
    async function load(shown = get().rows?.length ?? 0): Promise<void> {
      const own = ++loads
      try {
        const table = await api.call(readDataTableRoute, { params: { id } })
        if (own !== loads) return
        const { view } = get()
        const isSortable =
          view.sort.startsWith('-_') || table.columns.some(({ name }) => name === view.sort.replace(/^-/, ''))
        set({ table, ...(isSortable ? {} : { view: { ...view, sort: NEWEST.sort } }) })
        const rows: DataRow[] = []
        let from: string | null = null
        let total = 0
        do {
          const next: Awaited<ReturnType<typeof page>> = await page(from)
          if (own !== loads) return
          rows.push(...next.items)
          from = next.after
          total = next.total ?? rows.length
        } while (from !== null && rows.length < shown)
        after = from
        set({ rows, total, failure: null })
      } catch (error) {
        if (own === loads) set({ failure: asAppError(error) })
      }
    }

    const follow = followNouns(api, ['data_table'], () => load())

    return {
      table: null,
      rows: null,
      total: 0,
      failure: null,
      view: NEWEST,
      opened(next) {
        if (next !== id) set({ table: null, rows: null, total: 0, failure: null, view: NEWEST })
        id = next
        after = null
        return follow()
      },
      reload: () => load(),
      async viewed(patch) {
        set((state) => ({ view: { ...state.view, ...patch } }))
        await load(0)
      },
      async endSeen() {
        if (after === null || isExtending) return
        const own = loads
        isExtending = true
        try {
          const next = await page(after)
          if (own !== loads) return
          after = next.after
          set((state) => ({ rows: [...(state.rows ?? []), ...next.items] }))
        } catch (error) {
          set({ failure: asAppError(error) })
        } finally {
          isExtending = false
        }
      },
      async changed(body) {
        set({ table: await api.call(updateDataTableRoute, { params: { id }, body }) })
        await load()
      },
      async cellChanged(row, column, value) {
        const query = { filter: `_id,eq,${cellText(row['_id'])}` }
        const { updated } = await api.call(updateDataRowsRoute, {
          params: { id },
          query,
          body: { values: { [column]: value as never } },
        })
        const [now] = updated
        if (now === undefined) return
        set((state) => ({
          rows: state.rows?.map((one) => (one['_id'] === now['_id'] ? now : one)) ?? null,
        }))
      },
      async rowAdded() {
        await api.call(insertDataRowsRoute, { params: { id }, body: { rows: [{}] } })
        set({ view: NEWEST })
        await load(0)
      },
      async imported(body) {
        const result = await api.call(importDataRowsRoute, { params: { id }, body })
        await load()
        return result
      },
      exported: (format) => api.download(exportDataRowsRoute, { params: { id }, query: { format } }),
    }
  })
}

export const useRows = createStoreHook(createRowsStore)
