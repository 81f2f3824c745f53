import { type Since, startOf } from '../../lib/search.ts'
import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import {
  listFailureCausesRoute,
  listFlowRunsRoute,
  readFlowRunRoute,
} from '../../../shared/contract/flow-runs.ts'
import type {
  FailureCause,
  ListedFlowRun,
  RunStatus,
  RunTrigger,
} from '../../../shared/contract/flow-runs.ts'
import type { LiveEvent } from '../../../shared/contract/host.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { createRefresher } from '../../api/refresh.ts'
import { mergeFirstPage, replaceItems } from '../../lib/keyed-list.ts'

export interface RunFilters {
  /** `unfinished`: queued, running or retrying. */
  readonly status?: RunStatus | 'unfinished' | undefined
  readonly trigger?: RunTrigger | undefined
  readonly flow?: string | undefined
  /** Maximum age of the start. */
  readonly since?: Since | undefined
  /** Searched in all data of the runs. */
  readonly text?: string | undefined
  /** Failures counted by cause instead of the runs. */
  readonly causes?: boolean | undefined
  /** A single cause: the failed step, `null` for none, its code, and the HTTP status, `null` for none. */
  readonly at?: string | undefined
  readonly code?: string | undefined
  readonly http?: string | undefined
}

interface RunsState {
  readonly filters: RunFilters
  /** Newest first; null until the first page has loaded. */
  readonly runs: readonly ListedFlowRun[] | null
  readonly total: number | null
  /** Only with `causes`, and null until they have loaded. */
  readonly causes: readonly FailureCause[] | null
  /** Where the list continues; null at its end. */
  readonly after: string | null
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => void
  readonly filtered: (filters: RunFilters) => void
  readonly endReached: () => Promise<void>
}

const PAGE = 100
const SINGLE_READS = 20
const MOST_LOOKS = 50

export function createRunsStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  return createStore<RunsState>()((set, get) => {
    const changed = new Set<string>()
    let loadingMore = false

    async function readPage(filters: RunFilters, after?: string) {
      const query = {
        per_page: String(PAGE),
        answers: 'true' as const,
        filter: toFilter(filters, Date.now()),
        ...textOf(filters),
      }
      let page = await api.list(listFlowRunsRoute, {
        query: { ...query, ...(after === undefined ? {} : { after }) },
      })
      // Text that isn't in an index is searched in portions: a page can be empty and still have a next one.
      for (let look = 1; look < MOST_LOOKS && page.items.length === 0 && page.after !== null; look++)
        page = await api.list(listFlowRunsRoute, { query: { ...query, after: page.after } })
      return page
    }

    const refresh = createRefresher(async () => {
      const { filters } = get()
      const touched = [...changed]
      changed.clear()
      try {
        if (filters.causes) {
          const causes = await api.call(listFailureCausesRoute, {
            query: { filter: toFilter(filters, Date.now()), ...textOf(filters) },
          })
          if (get().filters === filters) set({ causes, failure: null })
          return
        }
        const page = await readPage(filters)
        if (get().filters !== filters) return
        set(({ runs, after }) => {
          const merged = mergeFirstPage({ items: runs, after }, page)
          return { runs: merged.items, after: merged.after, total: page.total, failure: null }
        })
        const older = new Set((get().runs ?? []).slice(page.items.length).map((run) => run.id))
        await readAgain(touched.filter((id) => older.has(id)).slice(0, SINGLE_READS))
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    })

    /** Changed runs further down; deleted ones don't matter. */
    async function readAgain(ids: readonly string[]) {
      const read = await Promise.all(
        ids.map((id) => api.call(readFlowRunRoute, { params: { id } }).catch(() => null)),
      )
      // A single run is loaded without its response.
      set(({ runs }) => {
        const answers = new Map(runs?.map(({ id, answer }) => [id, answer]))
        const withAnswers = read.map((run) => {
          const answer = run === null ? undefined : answers.get(run.id)
          return run === null || answer === undefined ? run : { ...run, answer }
        })
        return { runs: replaceItems(runs, withAnswers) }
      })
    }

    function onEvent({ type, id }: LiveEvent) {
      if (type === 'deleted') set(({ runs }) => ({ runs: runs?.filter((run) => run.id !== id) ?? null }))
      if (id !== null) changed.add(id)
      refresh()
    }

    return {
      filters: {},
      runs: null,
      total: null,
      causes: null,
      after: null,
      failure: null,
      opened() {
        refresh()
        return api.live.subscribe(['flow_run'], onEvent)
      },
      reload: refresh,
      filtered(filters) {
        if (isSame(filters, get().filters)) return
        set({ filters, runs: null, total: null, causes: null, after: null, failure: null })
        refresh()
      },
      async endReached() {
        const { after, filters } = get()
        if (after === null || loadingMore) return
        loadingMore = true
        try {
          const page = await readPage(filters, after)
          if (get().after === after)
            set(({ runs }) => ({ runs: [...(runs ?? []), ...page.items], after: page.after }))
        } catch (error) {
          set({ failure: asAppError(error) })
        } finally {
          loadingMore = false
        }
      },
    }
  })
}

export const useRuns = createStoreHook(createRunsStore)

function isSame(a: RunFilters, b: RunFilters): boolean {
  const names = ['status', 'trigger', 'flow', 'since', 'text', 'causes', 'at', 'code', 'http'] as const
  return names.every((name) => a[name] === b[name])
}

function toFilter({ status, trigger, flow, since, at, code, http }: RunFilters, now: number): string[] {
  return [
    ...(status === undefined
      ? []
      : [status === 'unfinished' ? 'status,in,queued,running,retrying' : `status,eq,${status}`]),
    ...(trigger === undefined ? [] : [`trigger,eq,${trigger}`]),
    ...(flow === undefined ? [] : [`flow_id,eq,${flow}`]),
    ...(at === undefined ? [] : [`error_ref_id,eq,${at}`]),
    ...(code === undefined ? [] : [`error_code,eq,${code}`]),
    ...(http === undefined ? [] : [`error_status,eq,${http}`]),
    ...(since === undefined ? [] : [`created_at,ge,${startOf(since, now)}`]),
  ]
}

function textOf({ text }: RunFilters) {
  return text === undefined ? {} : { text: asTyped(text) }
}

/** While a word is being typed, it is a prefix. */
export function asTyped(text: string): string {
  return /[\p{L}\p{N}]{3}$/u.test(text) && text.split('"').length % 2 === 1 ? `${text}*` : text
}
