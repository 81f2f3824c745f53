import { type ApiCall, listCallsRoute, listLogsRoute, type LogEntry } from '../../../shared/contract/logs.ts'
import type { Api } from '../../api/create-api.ts'
import type { Resource } from '../../api/resource.ts'

type Query = Readonly<Record<string, string>>

interface Page<E> {
  readonly entries: readonly E[]
  readonly folder?: string
}

export interface LogLines<E> {
  /** Newest first. */
  readonly entries: readonly E[]
  /** Folder of the files; null for calls. */
  readonly folder: string | null
  /** Whether the oldest line is loaded. */
  readonly isWhole: boolean
}

const PER_PAGE = 200

/** The lines that match. No event announces new ones; reloading adds them. */
function linesOf<E extends { readonly id: string }>(
  route: { readonly path: string },
  query: Query,
  read: (api: Pick<Api, 'call'>, query: Query, signal?: AbortSignal) => Promise<Page<E>>,
): Resource<LogLines<E>> {
  const asked = { ...query, per_page: String(PER_PAGE) }
  return {
    key: JSON.stringify([route.path, query]),
    family: route.path,
    nouns: [],
    async fetch(api, signal, { data }) {
      const newest = data()?.entries[0]
      if (newest === undefined) {
        const { entries, folder = null } = await read(api, asked, signal)
        return { entries, folder, isWhole: entries.length < PER_PAGE }
      }
      const { entries, folder = null } = await read(api, { ...asked, newer_than: newest.id }, signal)
      const { entries: older, isWhole } = data() ?? { entries: [], isWhole: true }
      return { entries: [...entries, ...older], folder, isWhole }
    },
    next(api, { entries, isWhole }) {
      const last = entries.at(-1)
      if (last === undefined || isWhole) return null
      return read(api, { ...asked, after: last.id }).then(({ entries: older }) => (data) => ({
        ...data,
        entries: [...data.entries, ...older],
        isWhole: older.length < PER_PAGE,
      }))
    },
  }
}

export const logOf = (query: Query) =>
  linesOf<LogEntry>(listLogsRoute, query, (api, asked, signal) =>
    api.call(listLogsRoute, { query: asked }, signal),
  )

export const callsOf = (query: Query) =>
  linesOf<ApiCall>(listCallsRoute, query, (api, asked, signal) =>
    api.call(listCallsRoute, { query: asked }, signal),
  )
