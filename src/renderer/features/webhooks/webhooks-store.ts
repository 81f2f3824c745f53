import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/errors.ts'
import { listFlowsRoute, rotateWebhookTokenRoute } from '../../../shared/contract/flows.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { listRunStepsRoute } from '../../../shared/contract/flow-runs.ts'
import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import type { LiveEvent } from '../../../shared/contract/host.ts'
import { listPausedCountsRoute, listWebhookRequestsRoute } from '../../../shared/contract/webhooks.ts'
import type { WebhookRequest } from '../../../shared/contract/webhooks.ts'
import type { RouteResult } from '../../../shared/contract/route.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { createRefresher } from '../../api/refresh.ts'
import { mergeFirstPage } from '../../lib/keyed-list.ts'

export interface RequestFilters {
  readonly flow?: string | undefined
  readonly show?: 'received' | 'refused' | undefined
}

interface WebhooksState {
  readonly filters: RequestFilters
  /** Newest first; null until the first page is there. */
  readonly requests: readonly WebhookRequest[] | null
  readonly after: string | null
  readonly failure: AppError | null
  /** While the list is held, how many changes wait. */
  readonly held: number | null
  /** Flows that have a webhook. */
  readonly flows: readonly Flow[]
  readonly paused: RouteResult<typeof listPausedCountsRoute>
  /** The webhook step of the run that a request started, by run. */
  readonly inputs: Readonly<Record<string, FlowRunStep | null>>
  readonly opened: () => () => void
  readonly reload: () => void
  readonly filtered: (filters: RequestFilters) => void
  readonly endReached: () => Promise<void>
  readonly holdPressed: () => void
  readonly requestChosen: (request: WebhookRequest) => Promise<void>
  readonly tokenRotated: (flowId: string) => Promise<void>
}

const PAGE = '100'

export function createWebhooksStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  return createStore<WebhooksState>()((set, get) => {
    let loadingMore = false

    async function readPage(filters: RequestFilters, after?: string) {
      const query = { per_page: PAGE, filter: toFilter(filters), ...(after === undefined ? {} : { after }) }
      return await api.list(listWebhookRequestsRoute, { query })
    }

    const refresh = createRefresher(async () => {
      const { filters } = get()
      try {
        const [page, paused] = await Promise.all([readPage(filters), api.call(listPausedCountsRoute)])
        if (get().filters !== filters) return
        set(({ requests, after }) => {
          const merged = mergeFirstPage({ items: requests, after }, page)
          return { requests: merged.items, after: merged.after, paused, failure: null }
        })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    })

    async function readFlows(): Promise<void> {
      const flows = await api
        .call(listFlowsRoute, { query: { per_page: '200', sort: 'name' } })
        .catch(() => null)
      if (flows !== null)
        set({ flows: flows.filter((flow) => flow.webhook !== null && flow.webhook !== undefined) })
    }

    function onEvent({ noun }: LiveEvent): void {
      if (noun !== 'webhook_request') void readFlows()
      const { held } = get()
      if (noun === 'webhook_request' && held !== null) set({ held: held + 1 })
      else if (noun !== 'flow') refresh()
    }

    return {
      filters: {},
      requests: null,
      after: null,
      failure: null,
      held: null,
      flows: [],
      paused: [],
      inputs: {},
      opened() {
        refresh()
        void readFlows()
        return api.live.subscribe(['webhook_request', 'flow'], onEvent)
      },
      reload: refresh,
      filtered(filters) {
        if (toFilter(filters).join() === toFilter(get().filters).join()) return
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
      async requestChosen({ flow_run_id: runId }) {
        if (runId === null || get().inputs[runId] !== undefined) return
        const params = { id: runId }
        const steps = await api.call(listRunStepsRoute, { params, query: { per_page: '1' } }).catch(() => [])
        const [step] = steps
        set(({ inputs }) => ({ inputs: { ...inputs, [runId]: step?.type === 'webhook' ? step : null } }))
      },
      async tokenRotated(flowId) {
        await api.call(rotateWebhookTokenRoute, { params: { id: flowId } })
        await readFlows()
      },
    }
  })
}

export const useWebhooks = createStoreHook(createWebhooksStore)

/** Received: it ran, whatever came of it. Refused: it was turned away before. */
function toFilter({ flow, show }: RequestFilters): string[] {
  return [
    ...(flow === undefined ? [] : [`flow_id,eq,${flow}`]),
    ...(show === undefined ? [] : [show === 'received' ? 'status,lt,400' : 'status,ge,400']),
  ]
}
