/** Counts and durations over time, for charts. */
import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { say } from '../../../../shared/contract/base/message.ts'
import type {
  Bucket,
  Figures,
  FiguresBucket,
  FiguresOf,
  readFiguresRoute,
  Tally,
} from '../../../../shared/contract/figures/figures.ts'
import { END_STATUSES, type FlowRun } from '../../../../shared/contract/flow-runs.ts'
import type { WebhookRequest } from '../../../../shared/contract/webhooks.ts'
import type { Clock } from '../../../engine/ports.ts'
import {
  BUCKET_MS,
  addBins,
  binOf,
  type Figure,
  oneBin,
  percentile,
  type Store,
  type TallyPart,
  type TallyRow,
} from '../../../store/index.ts'
import { type Caller, may } from '../../kit/caller.ts'
import { parseKeyedListQuery } from '../../kit/list-query.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import type { KeyedPage } from '../../kit/pages.ts'

type FiguresQuery = z.output<typeof readFiguresRoute.query>

interface ListQuery {
  readonly text: string
  readonly filter: string[]
  readonly after?: string
  readonly per_page: number
}

export interface FiguresOptions {
  readonly store: Pick<Store, 'figures' | 'flows' | 'flowRuns' | 'webhookRequests'>
  readonly listRuns: (query: ListQuery) => Promise<KeyedPage<FlowRun>>
  readonly listRequests: (query: ListQuery) => Promise<KeyedPage<WebhookRequest>>
  readonly clock: Pick<Clock, 'now'>
}

/** A list whose records are counted if the request has a filter or a search. */
interface CountedList {
  readonly tally: Store['flowRuns']['tally']
  readonly find: (query: ListQuery) => Promise<Pick<KeyedPage<FoundRecord>, 'records' | 'next'>>
}

interface FoundRecord {
  readonly at: string
  readonly status: string
  readonly ms: number | null
}

interface Span {
  readonly from: number
  readonly until: number
}

interface SizedSpan extends Span {
  readonly bucket: Bucket
}

interface Counted {
  readonly rows: readonly Figure[]
  readonly countedFrom: number | null
}

const MOST_BUCKETS: Readonly<Record<Bucket, number>> = { minute: 1_440, hour: 744, day: 400 }
const HOUR_MS = BUCKET_MS.hour
const DAY_MS = BUCKET_MS.day
/** Figures that can't be read from the history. */
const ADDED_UP = ['records', 'calls', 'disk'] as const
type AddedUp = (typeof ADDED_UP)[number]
const isAddedUp = (of: FiguresOf): of is AddedUp => ADDED_UP.some((one) => one === of)
/** After this time, the counts so far are returned. */
const COUNT_MS = 1_000
const FOUND_PER_PORTION = 50

export function createFiguresService({ store, listRuns, listRequests, clock }: FiguresOptions) {
  const LISTS: Readonly<Record<Exclude<FiguresOf, AddedUp>, CountedList>> = {
    runs: {
      tally: (...asked) => store.flowRuns.tally(...asked),
      async find(query) {
        const { records, next } = await listRuns(query)
        const found = records.map(({ created_at: at, status, duration_ms: ms }) => ({ at, status, ms }))
        return { records: found, next }
      },
    },
    webhooks: {
      tally: (...asked) => store.webhookRequests.tally(...asked),
      async find(query) {
        const { records, next } = await listRequests(query)
        const found = records.map(({ at, status, duration_ms: ms }) => ({
          at,
          status: `${Math.floor(status / 100)}xx`,
          ms,
        }))
        return { records: found, next }
      },
    },
  }

  /** @throws AppError `validation` */
  function spanOf(query: FiguresQuery): SizedSpan {
    const end = query.until === undefined ? clock.now() + 1 : Date.parse(query.until)
    const start = query.from === undefined ? end - DAY_MS : Date.parse(query.from)
    if (start >= end) throw fieldErrors({ from: [say('must be before until')] })
    const bucket = query.bucket ?? fittingBucket(end - start, query.of)
    const size = BUCKET_MS[bucket]
    const span = { from: Math.floor(start / size) * size, until: Math.ceil(end / size) * size, bucket }
    const count = (span.until - span.from) / size
    if (count > MOST_BUCKETS[bucket] + 1)
      throw fieldErrors({
        from: [
          say('gives {{count}} buckets, but the limit is {{most}}', {
            count,
            most: MOST_BUCKETS[bucket],
          }),
        ],
      })
    return span
  }

  async function countRecords(
    { of = 'runs', flow_id: flowId, filter, text = '' }: FiguresQuery,
    { from, until, bucket }: SizedSpan,
  ): Promise<Counted> {
    if (isAddedUp(of))
      throw fieldErrors({
        of: [say('is {{of}}, which is only counted by hour and day, without filter or text', { of })],
      })
    const list = LISTS[of]
    const asked = [...(filter ?? []), ...(flowId === undefined ? [] : [`flow_id,eq,${flowId}`])]
    const span = { from, until, size: BUCKET_MS[bucket] }
    if (text === '') {
      const { filters } = parseKeyedListQuery({ filter: asked })
      return await countParts((below) => list.tally({ filters, ...span }, below))
    }
    const query = { text, filter: asked, per_page: FOUND_PER_PORTION }
    return await countFound((after) => list.find({ ...query, ...(after !== null && { after }) }), span)
  }

  /** No sums are stored per minute, so this reads the history, as far as it still exists. */
  async function countMinutes(
    { of = 'runs', flow_id }: FiguresQuery,
    span: SizedSpan,
    before: Span,
  ): Promise<Pick<Figures, 'buckets' | 'totals' | 'before' | 'counted_from'>> {
    const ended = ['trigger,ne,test', `status,in,${END_STATUSES.join(',')}`]
    const asked: FiguresQuery = { of, flow_id, filter: of === 'runs' ? ended : [] }
    const { rows, countedFrom } = await countRecords(asked, { ...span, from: before.from })
    const [earlier, shown] = [
      rows.filter(({ at }) => at < span.from),
      rows.filter(({ at }) => at >= span.from),
    ]
    return { ...sum(of, shown, span), before: toTally(earlier), counted_from: isoOrNull(countedFrom) }
  }

  return {
    /** @throws AppError `not_found`, `validation`, `forbidden` */
    async read(caller: Caller, query: FiguresQuery): Promise<Figures> {
      const { of = 'runs', flow_id: flowId = null } = query
      if (of === 'disk' && !may(caller, 'settings', 'read'))
        throw new AppError(
          'forbidden',
          say(
            "The sizes of the data folder can't be read with this token; use one that also has the scope company:view",
          ),
        )
      if (flowId !== null && store.flows.get(flowId) === null) throw flowNotFound(flowId)
      const span = spanOf(query)
      const { from, until, bucket } = span
      const described = { of, flow_id: flowId, from: isoOf(from), until: isoOf(until), bucket }
      if (query.filter !== undefined || query.text) {
        const { rows, countedFrom } = await countRecords(query, span)
        return { ...described, ...sum(of, rows, span), before: null, counted_from: isoOrNull(countedFrom) }
      }
      const before = { from: 2 * from - until, until: from }
      if (bucket === 'minute') return { ...described, ...(await countMinutes(query, span, before)) }
      const known = { of, flowId, bucket }
      const filled = store.figures.filledFrom()
      const isMissing = filled !== null && filled >= before.from
      return {
        ...described,
        ...sum(of, store.figures.read({ ...known, from, until }), span),
        before: toTotals(of, store.figures.read({ ...known, ...before })),
        counted_from: isoOrNull(isMissing && of !== 'disk' ? filled : null),
      }
    },
  }
}

function fittingBucket(ms: number, of: FiguresOf = 'runs'): Bucket {
  if (ms <= 3 * HOUR_MS && !isAddedUp(of)) return 'minute'
  return ms <= 8 * DAY_MS ? 'hour' : 'day'
}

/** Reads the history in parts, so that other work can run in between. */
async function countParts(read: (below: number | null) => TallyPart): Promise<Counted> {
  const stopAt = performance.now() + COUNT_MS
  const rows: Figure[] = []
  for (let below: number | null = null; ;) {
    const part = read(below)
    rows.push(...part.rows.map(toFigure))
    if (part.next === null) return { rows, countedFrom: null }
    if (performance.now() > stopAt) return { rows, countedFrom: part.next.at }
    below = part.next.key
    await setImmediate()
  }
}

async function countFound(
  find: (after: string | null) => ReturnType<CountedList['find']>,
  { from, until, size }: Span & { readonly size: number },
): Promise<Counted> {
  const stopAt = performance.now() + COUNT_MS
  const rows: Figure[] = []
  let oldest = until
  for (let after: string | null = null; ;) {
    const { records, next }: Awaited<ReturnType<CountedList['find']>> = await find(after)
    for (const { at, status, ms } of records) {
      oldest = Date.parse(at)
      if (oldest >= from && oldest < until)
        rows.push(toFigure({ at: Math.floor(oldest / size) * size, status, bin: binOf(ms), count: 1 }))
    }
    if (next === null || oldest < from) return { rows, countedFrom: null }
    if (performance.now() > stopAt) return { rows, countedFrom: oldest }
    after = next
  }
}

function sum(
  of: FiguresOf,
  rows: readonly Figure[],
  { from, until, bucket }: SizedSpan,
): Pick<Figures, 'buckets' | 'totals'> {
  const byTime = Map.groupBy(rows, ({ at }) => at)
  const buckets: FiguresBucket[] = []
  for (let at = from; at < until; at += BUCKET_MS[bucket])
    buckets.push({ at: isoOf(at), ...toTally(byTime.get(at) ?? []) })
  return { buckets, totals: toTotals(of, rows) }
}

/** Sizes can't be added up, so the last size counts. */
function toTotals(of: FiguresOf, rows: readonly Figure[]): Tally {
  if (of !== 'disk') return toTally(rows)
  const last = rows.reduce((latest, { at }) => Math.max(latest, at), 0)
  return toTally(rows.filter(({ at }) => at === last))
}

function toTally(rows: readonly Figure[]): Tally {
  const counts = new Map<string, number>()
  for (const { status, count } of rows) counts.set(status, (counts.get(status) ?? 0) + count)
  const bins = addBins(rows.map((row) => row.bins))
  return {
    counts: Object.fromEntries([...counts].filter(([, count]) => count > 0)),
    p50_ms: percentile(bins, 0.5),
    p95_ms: percentile(bins, 0.95),
  }
}

const toFigure = ({ bin, ...row }: TallyRow): Figure => ({ ...row, bins: oneBin(bin, row.count) })

const isoOf = (time: number) => new Date(time).toISOString()
const isoOrNull = (time: number | null) => (time === null ? null : isoOf(time))
