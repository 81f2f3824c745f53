import {
  listPausedCountsRoute,
  listWebhookRequestsRoute,
  readWebhookRequestRoute,
} from '../../../shared/contract/webhooks.ts'
import type { ListedRequest, ReceivedBody } from '../../../shared/contract/webhooks.ts'
import { pagesOf, type Resource, resource } from '../../api/resource.ts'
import { asTyped, type Since, startOf } from '../../lib/search.ts'

export interface RequestFilters {
  readonly flow?: string | undefined
  readonly show?: 'received' | 'failed' | 'refused' | undefined
  /** The encoding of its body. */
  readonly content?: ContentType | undefined
  /** Words in the request's data or its path. */
  readonly q?: string | undefined
  /** Maximum age of the request. */
  readonly since?: Since | undefined
}

/** A request that started a run is announced by its run. */
export const requestsOf = (filters: RequestFilters) =>
  pagesOf(listWebhookRequestsRoute, {
    nouns: ['webhook_request', 'flow_run'],
    query: (now) => ({ preview: 'true', filter: toFilter(filters, now), ...textOf(filters) }),
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

const textOf = ({ q = '' }: RequestFilters) => (q.trim() === '' ? {} : { text: asTyped(q.trim()) })

/**
 * Received: it reached the flow and got a response. Failed: its run failed. Refused: it was rejected before, with a
 * reason.
 */
function toFilter({ flow, show, content, since }: RequestFilters, now: number): string[] {
  return [
    ...(flow === undefined ? [] : [`flow_id,eq,${flow}`]),
    ...(show === undefined ? [] : SHOWN[show]),
    ...(content === undefined ? [] : [TYPED[content]]),
    ...(since === undefined ? [] : [`at,ge,${startOf(since, now)}`]),
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
