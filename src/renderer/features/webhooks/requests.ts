import {
  listPausedCountsRoute,
  listWebhookRequestsRoute,
  readWebhookRequestRoute,
  WEBHOOK_PATH,
} from '../../../shared/contract/webhooks.ts'
import type { ListedRequest, ReceivedBody, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { pagesOf, type Resource, resource } from '../../api/resource.ts'
import { histogramOf, type TimeFilter } from '../../components/charts/histogram.tsx'
import { formatBytes } from '../../lib/format.ts'
import { asTyped, startOf } from '../../lib/search.ts'

export interface RequestFilters extends TimeFilter {
  readonly flow?: string | undefined
  readonly show?: ShownRequests | undefined
  /** The encoding of its body. */
  readonly content?: ContentType | undefined
  /** Words in the request's data or its path. */
  readonly q?: string | undefined
}

/** Depends on runs, too, because a request that started a run is announced by its run. */
export const requestsOf = (filters: RequestFilters) =>
  pagesOf(listWebhookRequestsRoute, {
    nouns: ['webhook_request', 'flow_run'],
    query: (now) => ({ preview: 'true', filter: toFilter(filters, now), ...textOf(filters) }),
  })

/** Ignores the status, which can be chosen in the histogram. */
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

/** A request with its response, once its run has ended, and each attempt to send it to a local program. */
export const requestOf = (requestId: string) =>
  resource(readWebhookRequestRoute, {
    nouns: ['flow_run', 'webhook_request'],
    concerns: ({ id }, { request }) => id === request.flow_run_id || id === request.id,
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

/** The requests that a paused list shows. Later ones are only counted. */
export function heldBack(
  held: readonly ListedRequest[] | null,
  items: readonly ListedRequest[],
): { readonly shown: readonly ListedRequest[]; readonly waiting: number } {
  const at = held === null ? 0 : items.findIndex(({ id }) => id === held[0]?.id)
  return at === -1 ? { shown: held ?? [], waiting: items.length } : { shown: items.slice(at), waiting: at }
}

/** Shortens a path: all of them begin alike, and the name of the flow says more than its whole ID. */
export function shortPath(path: string): string {
  const rest = path.startsWith(`${WEBHOOK_PATH}/`) ? path.slice(WEBHOOK_PATH.length + 1) : path
  // linear: anchored, of fixed length
  return rest.replace(/^([0-9a-f]{8})-[0-9a-f-]{27}/, '$1…')
}

/** The size of the body. If it was too large and its size not announced, the number of bytes that were read. */
export function sizeOf({ size, status, reason, headers }: WebhookRequest): string {
  if (size === 0 && reason !== null) return '–'
  return `${status === 413 && headers['content-length'] === undefined ? '> ' : ''}${formatBytes(size)}`
}

/** What a search marks in a request: the text that it matched, and the words as they were typed. */
export function wordsToMark(q: string | undefined, match: ListedRequest['match']): RegExp | null {
  const matched = match?.marks.map(([from, to]) => match.snippet.slice(from, to)) ?? []
  // linear: a quote ends at the next one
  const typed = [...(q ?? '').matchAll(/"([^"]*)"?|([^\s"]+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )
  const words = [...matched, ...typed].filter((word) => /[\p{L}\p{N}]/u.test(word)).slice(0, 40)
  if (words.length === 0) return null
  const any = words.map((word) =>
    word.endsWith('*') ? `${escaped(word.slice(0, -1))}[\\p{L}\\p{N}]*` : escaped(word),
  )
  // linear: the words are literal, and what may follow one ends at the first other character
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${any.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
}

const escaped = (word: string) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

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

/** Its caller got an error. A duplicate delivery also has a reason for not being run, but a successful response. */
export const isRefused = ({ outcome, status }: Pick<ListedRequest, 'outcome' | 'status'>) =>
  outcome === 'rejected' && status >= 400
