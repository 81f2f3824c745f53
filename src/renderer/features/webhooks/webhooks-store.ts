import { type Since, startOf } from '../../lib/search.ts'
import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { listFlowsRoute, rotateWebhookTokenRoute, updateFlowRoute } from '../../../shared/contract/flows.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { listFlowRunsRoute } from '../../../shared/contract/flow-runs.ts'
import type { LiveEvent } from '../../../shared/contract/host.ts'
import {
  listPausedCountsRoute,
  listWebhookRequestsRoute,
  readWebhookRequestRoute,
} from '../../../shared/contract/webhooks.ts'
import type { ListedRequest, ReceivedBody, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import type { RouteResult } from '../../../shared/contract/base/route.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { createRefresher } from '../../api/refresh.ts'
import { mergeFirstPage } from '../../lib/keyed-list.ts'
import { listAll } from '../../api/list-all.ts'

export interface RequestFilters {
  readonly flow?: string | undefined
  readonly show?: 'received' | 'failed' | 'refused' | undefined
  /** The encoding of its body. */
  readonly content?: ContentType | undefined
  /** Part of the path or its query, or words in the request's data. */
  readonly q?: string | undefined
  /** Maximum age of the request. */
  readonly since?: Since | undefined
}

interface WebhooksState {
  readonly filters: RequestFilters
  /** Newest first; null until the first page has loaded. */
  readonly requests: readonly ListedRequest[] | null
  readonly after: string | null
  readonly failure: AppError | null
  /** The number of waiting requests while the list is paused. */
  readonly held: number | null
  /** Flows that have a webhook. */
  readonly flows: readonly Flow[]
  readonly paused: RouteResult<typeof listPausedCountsRoute>
  /** The title of a request's run, by run. */
  readonly titles: Readonly<Record<string, string>>
  /** The data of a flow's newest request, by flow; null if it wasn't stored. */
  readonly samples: Readonly<Record<string, ReceivedBody | null>>
  readonly opened: () => () => void
  readonly reload: () => void
  readonly filtered: (filters: RequestFilters) => void
  readonly endReached: () => Promise<void>
  readonly holdPressed: () => void
  /** Loads the body of its newest request for the snippets. */
  readonly sampleWanted: (flowId: string) => Promise<void>
  readonly tokenRotated: (flowId: string) => Promise<void>
  /** Off: anybody who knows the URL can call it. */
  readonly tokenSwitched: (flowId: string, on: boolean) => Promise<void>
}

const PAGE = '100'

interface PageQuery {
  readonly per_page: string
  readonly preview: 'true'
  readonly filter: string[]
  readonly after?: string
}

const MOST_LOOKS = 50
/** Shorter words match every other request. */
const SHORTEST_WORD = 3

export function createWebhooksStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  return createStore<WebhooksState>()((set, get) => {
    let loadingMore = false

    async function readPage(filters: RequestFilters, after?: string) {
      const filter = toFilter(filters, Date.now())
      const query = {
        per_page: PAGE,
        preview: 'true' as const,
        filter,
        ...(after === undefined ? {} : { after }),
      }
      const [page, found] = await Promise.all([
        readFilled(query),
        after === undefined ? withWords(filters) : [],
      ])
      const known = new Set(page.items.map(({ id }) => id))
      const more = found.filter(({ id }) => !known.has(id))
      void readTitles([...page.items, ...more])
      if (more.length === 0) return page
      return { ...page, items: [...page.items, ...more].toSorted((a, b) => b.at.localeCompare(a.at)) }
    }

    /** Text that isn't in an index is searched in portions: a page can be empty and still have a next one. */
    async function readFilled(query: PageQuery) {
      let page = await api.list(listWebhookRequestsRoute, { query })
      for (let look = 1; look < MOST_LOOKS && page.items.length === 0 && page.after !== null; look++)
        page = await api.list(listWebhookRequestsRoute, { query: { ...query, after: page.after } })
      return page
    }

    /** Requests whose runs contain the words: their bodies are part of the run history. */
    async function withWords({ q, ...filters }: RequestFilters): Promise<readonly ListedRequest[]> {
      if (q === undefined || q.trim().length < SHORTEST_WORD) return []
      const query = { text: q, filter: 'trigger,eq,webhook', per_page: PAGE }
      const runs = await api.call(listFlowRunsRoute, { query }).catch(() => [])
      if (runs.length === 0) return []
      const ids = `flow_run_id,in,${runs.map(({ id }) => id).join()}`
      const filter = [...toFilter(filters, Date.now()), ids]
      return await api
        .call(listWebhookRequestsRoute, { query: { filter, per_page: PAGE, preview: 'true' } })
        .catch(() => [])
    }

    async function readTitles(requests: readonly WebhookRequest[]): Promise<void> {
      const known = get().titles
      const ids = requests.flatMap(({ flow_run_id: id }) => (id === null || id in known ? [] : [id]))
      if (ids.length === 0) return
      const query = { filter: `id,in,${ids.join()}`, per_page: '200' }
      const runs = await api.call(listFlowRunsRoute, { query }).catch(() => [])
      // The title is known once a run has ended; until then it is the name of the flow.
      const ended = runs.filter(({ finished_at: at }) => at !== null)
      set(({ titles }) => ({
        titles: { ...titles, ...Object.fromEntries(ended.map(({ id, title }) => [id, title])) },
      }))
    }

    const refresh = createRefresher(async () => {
      const { filters } = get()
      try {
        const [page, paused] = await Promise.all([readPage(filters), api.call(listPausedCountsRoute)])
        if (get().filters !== filters) return
        set(({ held, requests, after }) => {
          if (held !== null) return { held: newerThan(requests, page.items), paused, failure: null }
          const merged = mergeFirstPage({ items: requests, after }, page)
          return { requests: merged.items, after: merged.after, paused, failure: null }
        })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    })

    async function readFlows(): Promise<void> {
      const flows = await listAll(api, listFlowsRoute, { sort: 'name' }).catch(() => null)
      if (flows !== null)
        set({ flows: flows.filter((flow) => flow.webhook !== null && flow.webhook !== undefined) })
    }

    /** A request that started a run is announced by its run. */
    function onEvent({ noun }: LiveEvent): void {
      if (noun === 'flow' || noun === null) void readFlows()
      if (noun !== 'flow') refresh()
    }

    return {
      filters: {},
      requests: null,
      after: null,
      failure: null,
      held: null,
      flows: [],
      paused: [],
      titles: {},
      samples: {},
      opened() {
        refresh()
        void readFlows()
        return api.live.subscribe(['webhook_request', 'flow_run', 'flow'], onEvent)
      },
      reload: refresh,
      filtered(filters) {
        if (toFilter(filters, 0).join() === toFilter(get().filters, 0).join()) return
        set({ filters, requests: null, after: null, failure: null })
        refresh()
      },
      async endReached() {
        const { after, filters } = get()
        if (after === null || loadingMore) return
        loadingMore = true
        try {
          const page = await readPage(filters, after)
          if (get().after === after)
            set(({ requests }) => ({ requests: [...(requests ?? []), ...page.items], after: page.after }))
        } catch (error) {
          set({ failure: asAppError(error) })
        } finally {
          loadingMore = false
        }
      },
      holdPressed() {
        const held = get().held === null ? 0 : null
        set({ held })
        if (held === null) refresh()
      },
      async sampleWanted(flowId) {
        const filter = [`flow_id,eq,${flowId}`, 'flow_run_id,ne,null']
        const query = { filter, per_page: '1' }
        const [newest] = await api.call(listWebhookRequestsRoute, { query }).catch(() => [])
        const detail =
          newest === undefined
            ? null
            : await api.call(readWebhookRequestRoute, { params: { id: newest.id } }).catch(() => null)
        set(({ samples }) => ({ samples: { ...samples, [flowId]: detail?.received ?? null } }))
      },
      async tokenRotated(flowId) {
        await api.call(rotateWebhookTokenRoute, { params: { id: flowId } })
        await readFlows()
      },
      async tokenSwitched(flowId, on) {
        const body = { settings: { webhook_token_enabled: on } }
        await api.call(updateFlowRoute, { params: { id: flowId }, body })
        await readFlows()
      },
    }
  })
}

export const useWebhooks = createStoreHook(createWebhooksStore)

function newerThan(known: readonly WebhookRequest[] | null, read: readonly WebhookRequest[]): number {
  const [top] = known ?? []
  const at = read.findIndex(({ id }) => id === top?.id)
  return at === -1 ? read.length : at
}

/**
 * Received: it reached the flow and got a response. Failed: its run failed. Refused: it was rejected before, with a
 * reason.
 */
function toFilter({ flow, show, content, q, since }: RequestFilters, now: number): string[] {
  return [
    ...(flow === undefined ? [] : [`flow_id,eq,${flow}`]),
    ...(show === undefined ? [] : SHOWN[show]),
    ...(content === undefined ? [] : [TYPED[content]]),
    ...(since === undefined ? [] : [`at,ge,${startOf(since, now)}`]),
    ...(q === undefined || q.trim() === '' ? [] : [`path,like,${JSON.stringify(`%${q.trim()}%`)}`]),
  ]
}

export const CONTENT_TYPES = ['json', 'form', 'xml', 'text', 'none'] as const
type ContentType = (typeof CONTENT_TYPES)[number]

const TYPED: Readonly<Record<ContentType, string>> = {
  json: 'content_type,like,%json%',
  form: 'content_type,like,%form%',
  xml: 'content_type,like,%xml%',
  text: 'content_type,like,text/plain%',
  none: 'content_type,eq,null',
}

const SHOWN: { readonly [S in NonNullable<RequestFilters['show']>]: readonly string[] } = {
  received: ['reason,eq,null'],
  failed: ['reason,eq,null', 'status,ge,400'],
  refused: ['reason,ne,null'],
}
