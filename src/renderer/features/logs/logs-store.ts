import { createStore, type StoreApi } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { type ApiCall, listCallsRoute, listLogsRoute, type LogEntry } from '../../../shared/contract/logs.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { createStoreHook } from '../../api/provider.tsx'

type Query = Readonly<Record<string, string>>
type Entry = { readonly id: string }

export interface LinesState<E extends Entry> {
  /** Newest first; null until they are loaded. */
  readonly entries: readonly E[] | null
  /** Folder of the files; null for calls. */
  readonly folder: string | null
  readonly failure: AppError | null
  /** Shows the newest lines that match. */
  readonly filtered: (query: Query) => Promise<void>
  /** Adds older ones. */
  readonly endReached: () => Promise<void>
  /** Adds newer ones. */
  readonly looked: () => Promise<void>
}

interface Page<E> {
  readonly entries: readonly E[]
  readonly folder?: string
}

const PER_PAGE = 200

export function createLinesStore<E extends Entry>(
  read: (query: Query) => Promise<Page<E>>,
): StoreApi<LinesState<E>> {
  let query: Query = {}
  /** The filter whose lines are being read; null if none are. */
  let reading: Query | null = null
  let isWhole = false
  return createStore<LinesState<E>>()((set, get) => {
    /** One at a time. Responses that arrive after a change of the filter are ignored. */
    async function add(more: Query, join: (found: readonly E[], known: readonly E[]) => readonly E[]) {
      const asked = query
      if (reading === asked) return
      reading = asked
      try {
        const { entries, folder = null } = await read({ ...query, ...more, per_page: String(PER_PAGE) })
        if (asked !== query) return
        if (more['newer_than'] === undefined) isWhole = entries.length < PER_PAGE
        const known = get().entries ?? []
        const isFirst = Object.keys(more).length === 0
        if (isFirst || entries.length > 0 || get().failure !== null)
          set({ entries: join(entries, known), folder, failure: null })
      } catch (error) {
        if (asked === query) set({ failure: asAppError(error) })
      } finally {
        if (reading === asked) reading = null
      }
    }

    return {
      entries: null,
      folder: null,
      failure: null,
      async filtered(next) {
        query = { ...next }
        isWhole = false
        await add({}, (found) => found)
      },
      async endReached() {
        const last = get().entries?.at(-1)
        if (last !== undefined && !isWhole)
          await add({ after: last.id }, (found, known) => [...known, ...found])
      },
      async looked() {
        const first = get().entries?.[0]
        if (first === undefined) return add({}, (found) => found)
        await add({ newer_than: first.id }, (found, known) => [...found, ...known])
      },
    }
  })
}

type CallApi = Pick<Api, 'call'>

export const useLogs = createStoreHook((api: CallApi) =>
  createLinesStore<LogEntry>((query) => api.call(listLogsRoute, { query })),
)

export const useCalls = createStoreHook((api: CallApi) =>
  createLinesStore<ApiCall>((query) => api.call(listCallsRoute, { query })),
)
