import {
  listPausedCountsRoute,
  listWebhookRequestsRoute,
  readWebhookRequestRoute,
} from '../../../shared/contract/webhooks.ts'
import type { ListedRequest, ReceivedBody } from '../../../shared/contract/webhooks.ts'
import { pagesOf, type Resource, resource } from '../../api/resource.ts'
import { histogramOf, type TimeFilter } from '../../components/charts/histogram.tsx'
import { asTyped, startOf } from '../../lib/search.ts'

export interface RequestFilters extends TimeFilter {
  readonly flow?: string | undefined
  readonly show?: ShownRequests | undefined
  /** The encoding of its body. */
  readonly content?: ContentType | undefined
  /** Words in the request's data or its path. */
  readonly q?: string | undefined
}

/** A request that started a run is announced by its run. */
export const requestsOf = (filters: RequestFilters) =>
  pagesOf(listWebhookRequestsRoute, {
    nouns: ['webhook_request', 'flow_run'],
    query: (now) => ({ preview: 'true', filter: toFilter(filters, now), ...textOf(filters) }),
  })

/** Without the status, which can be chosen in it. */
export const requestHistogramOf = ({ flow, show, content, since, from, until, q }: RequestFilters) =>
  histogramOf({
    of: 'webhooks',
    flow,
    since,
    from,
    until,
    text: textOf({ q }).text,
    filter: toFilter({ content, show: STATUS_CLASSES.some((one) => one === show) ? undefined : show }, 0),
  })

/** With its response, once its run has ended. */
export const requestOf = (requestId: string) =>
  resource(readWebhookRequestRoute, {
    nouns: ['flow_run'],
    concerns: ({ id }, { request }) => id === request.flow_run_id,
    params: { id: requestId },
  })

export const PAUSED_COUNTS = resource(listPausedCountsRoute, { nouns: ['webhook_request', 'flow_run'] })

/** The body of a flow's newest request that started a run; null if it wasn't stored. */
export const newestBodyOf = (flowId: string): Resource<ReceivedBody | null> => ({
  key: `newest body ${flowId}`,
  nouns: ['flow_run'],
  concerns: ({ flow_id: id, type }) => id === flowId && type !== 'deleted',
  async fetch(api, signal) {
    const filter = [`flow_id,eq,${flowId}`, 'flow_run_id,ne,null']
    const [newest] = await api.call(listWebhookRequestsRoute, { query: { filter, per_page: '1' } }, signal)
    if (newest === undefined) return null
    const params = { id: newest.id }
    return (await api.call(readWebhookRequestRoute, { params }, signal)).received
  },
})

/** What a paused list shows: nothing that arrived later, which is only counted. */
export function heldBack(
  held: readonly ListedRequest[] | null,
  items: readonly ListedRequest[],
): { readonly shown: readonly ListedRequest[]; readonly waiting: number } {
  const at = held === null ? 0 : items.findIndex(({ id }) => id === held[0]?.id)
  return at === -1 ? { shown: held ?? [], waiting: items.length } : { shown: items.slice(at), waiting: at }
}

const textOf = ({ q = '' }: RequestFilters): { readonly text?: string } =>
  q.trim() === '' ? {} : { text: asTyped(q.trim()) }

/**
 * Received: it reached the flow and got a response. Failed: its run failed. Refused: it was rejected before, with a
 * reason. Filtered, handshake: it was answered without a run.
 */
function toFilter({ flow, show, content, since, from, until }: RequestFilters, now: number): string[] {
  return [
    ...(flow === undefined ? [] : [`flow_id,eq,${flow}`]),
    ...(show === undefined ? [] : SHOWN[show]),
    ...(content === undefined ? [] : [TYPED[content]]),
    ...(since === undefined ? [] : [`at,ge,${startOf(since, now)}`]),
    ...(from === undefined ? [] : [`at,ge,${from}`]),
    ...(until === undefined ? [] : [`at,lt,${until}`]),
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

export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const
type ShownRequests =
  | 'received'
  | 'failed'
  | 'refused'
  | 'filtered'
  | 'handshake'
  | (typeof STATUS_CLASSES)[number]

const SHOWN: { readonly [S in ShownRequests]: readonly string[] } = {
  received: ['reason,eq,null'],
  failed: ['reason,eq,null', 'status,ge,400'],
  refused: ['outcome,eq,rejected'],
  filtered: ['outcome,eq,filtered'],
  handshake: ['outcome,eq,handshake'],
  '2xx': ['status,ge,200', 'status,lt,300'],
  '3xx': ['status,ge,300', 'status,lt,400'],
  '4xx': ['status,ge,400', 'status,lt,500'],
  '5xx': ['status,ge,500'],
}
