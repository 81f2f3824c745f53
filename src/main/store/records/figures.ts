/**
 * Counts over time, added up by hour and day, so that a chart reads a few hundred rows however long the history is.
 * Figures outlive the runs they were counted from. Those of a flow are deleted with it, but the totals of all flows
 * still include it.
 */
import type { Database } from 'better-sqlite3'
import { type Bucket, FIGURES_OF, type FiguresOf } from '../../../shared/contract/figures/figures.ts'
import type { CommitHook } from '../commit/commit.ts'
import { BIN, type Bins, oneBin, readBins } from '../sql/bins.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export type FigureRepository = ReturnType<typeof createFigureRepository>['repository']

export interface FiguresQuery {
  readonly of: FiguresOf
  /** Null for all flows. */
  readonly flowId: string | null
  /** Both are starts of a bucket. */
  readonly from: number
  readonly until: number
  readonly bucket: AddedBucket
}

/** The number of events with one status. */
export interface Figure {
  readonly at: number
  readonly status: string
  readonly count: number
  readonly bins: Bins
}

/** A figure that is counted when its step ends. */
export interface CountedFigure {
  readonly of: 'records' | 'calls'
  readonly status: string
  readonly count: number
}

/** Sizes of stored buckets; minutes are read from the history itself. */
export type AddedBucket = Exclude<Bucket, 'minute'>

export const BUCKET_MS: Readonly<Record<Bucket, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}
const HOUR_MS = BUCKET_MS.hour
const DAY_MS = BUCKET_MS.day
const KEPT_MS: Readonly<Record<AddedBucket, number>> = { hour: 70 * DAY_MS, day: 1_200 * DAY_MS }
const ALL_FLOWS = 0
/** Many rows are added up at once; until then, they are read one by one. */
const ADD_UP_EVERY_MS = 500
/** Number of history keys that are counted at a time, which takes a few milliseconds. */
const KEYS_PER_FILL = 2_000
const ROWS_PER_PRUNING = 5_000

type StoredFigure = Omit<Figure, 'bins'> & { readonly bins: Uint8Array | null }
type FreshFigure = Omit<Figure, 'bins'> & { readonly bin: number | null }

export function createFigureRepository(
  db: Database,
  monotonic = () => performance.now(),
): {
  readonly repository: {
    /** Returns figures in no particular order; there can be several for the same bucket and status. */
    read(query: FiguresQuery): readonly Figure[]
    /** Counts records and calls by their result; triggers count everything else. */
    add(flowId: string, at: number, counts: Iterable<CountedFigure>): void
    /** Stores sizes, in bytes, as the latest of their hour and day. */
    measure(at: number, sizes: Readonly<Record<string, number>>): void
    /** The time up to which earlier history isn't counted yet; null if everything is counted. */
    filledFrom(): number | null
    /** Counts a part of the data stored by an earlier version, newest first; false if nothing is left. */
    fill(): boolean
    /** Deletes some of the figures that are too old for their bucket size; true if there may be more. */
    prune(now: number): boolean
  }
  /** Deletes the figures of a flow. */
  readonly forgetFlow: (flowKey: number) => void
  readonly commitHook: CommitHook
} {
  const addUp = command(
    db,
    `WITH hours AS MATERIALIZED (
       SELECT of, coalesce(flow_key, ${ALL_FLOWS}) AS flow_key, at / ${HOUR_MS} * ${HOUR_MS} AS at, status, ${BIN} AS bin,
         sum(count) AS count
       FROM figures_new GROUP BY 1, 2, 3, 4, 5)
     INSERT INTO figures (size, of, flow_key, at, status, count, bins)
     SELECT s.column1, h.of, f.column1 * h.flow_key, h.at / s.column1 * s.column1, h.status, sum(h.count),
       to_bins(group_concat(h.bin || ':' || h.count))
     FROM hours h, (VALUES (${HOUR_MS}), (${DAY_MS})) s, (VALUES (0), (1)) f
     WHERE h.count <> 0 AND (f.column1 = 0 OR h.flow_key <> ${ALL_FLOWS})
     GROUP BY 1, 2, 3, 4, 5
     ON CONFLICT DO UPDATE SET count = count + excluded.count, bins = add_bins(bins, excluded.bins)`,
  )
  const clear = command(db, 'DELETE FROM figures_new')
  const added = rows<StoredFigure>(
    db,
    'SELECT at, status, count, bins FROM figures WHERE size = ? AND of = ? AND flow_key = ? AND at >= ? AND at < ?',
  )
  const fresh = rows<FreshFigure>(
    db,
    `SELECT CAST(at / @size AS INTEGER) * @size AS at, status, sum(count) AS count, ${BIN} AS bin FROM figures_new
     WHERE of = @of AND at >= @from AND at < @until AND (@flow = ${ALL_FLOWS} OR flow_key = @flow) GROUP BY 1, status, bin`,
  )
  const flowKey = scalar<number>(db, 'SELECT key FROM flows WHERE id = ? AND deleted_at IS NULL')
  const insert = command(
    db,
    `INSERT INTO figures_new (of, flow_key, at, status, count)
     VALUES (?, (SELECT key FROM flows WHERE id = ?), ?, ?, ?)`,
  )
  const measure = command(
    db,
    `INSERT INTO figures (size, of, flow_key, at, status, count) VALUES (?, 'disk', ${ALL_FLOWS}, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = excluded.count`,
  )
  const fillTo = scalar<number>(db, 'SELECT fill_to FROM figures_state')
  const setFillTo = command(db, 'UPDATE figures_state SET fill_to = ?')
  const oldestUnfilled = scalar<number>(
    db,
    `SELECT created_at FROM flow_runs WHERE key < ? ORDER BY key DESC LIMIT 1`,
  )
  const fillRuns = command(
    db,
    `INSERT INTO figures_new (of, flow_key, at, status, duration_ms, count)
     SELECT 'runs', flow_key, created_at, status, duration_ms, 1 FROM flow_runs
     WHERE key >= ? AND key < ? AND finished_at IS NOT NULL AND trigger <> 'test'`,
  )
  const fillRequests = command(
    db,
    `INSERT INTO figures_new (of, flow_key, at, status, duration_ms, count)
     SELECT 'webhooks', flow_key, at, (status / 100) || 'xx', duration_ms, 1 FROM webhook_requests
     WHERE key >= ? AND key < ?`,
  )
  const prune = command(
    db,
    `DELETE FROM figures WHERE (size, of, flow_key, at, status) IN
       (SELECT size, of, flow_key, at, status FROM figures WHERE size = ? AND at < ? LIMIT ${ROWS_PER_PRUNING})`,
  )
  const forget = command(db, 'DELETE FROM figures WHERE size = ? AND of = ? AND flow_key = ?')
  /**
   * Reads one snapshot: between two reads, the writer thread could add up waiting rows, and they would be in neither.
   */
  const readAtOnce = db.transaction(
    ({ of, from, until, bucket }: Omit<FiguresQuery, 'flowId'>, flow: number): readonly Figure[] => {
      const size = BUCKET_MS[bucket]
      return [
        ...added.all(size, of, flow, from, until).map((row) => ({ ...row, bins: readBins(row.bins) })),
        ...fresh
          .all({ size, of, flow, from, until })
          .map(({ bin, ...row }) => ({ ...row, bins: oneBin(bin, row.count) })),
      ]
    },
  )
  let addedUpAt = -Infinity

  function addUpNow(): void {
    addUp.run()
    clear.run()
  }

  return {
    repository: {
      read: ({ flowId, ...query }) =>
        readAtOnce(query, flowId === null ? ALL_FLOWS : (flowKey.get(flowId) ?? -1)),
      add(flowId, at, counts) {
        for (const { of, status, count } of counts) insert.run(of, flowId, at, status, count)
      },
      measure(at, sizes) {
        for (const size of [HOUR_MS, DAY_MS])
          for (const [name, bytes] of Object.entries(sizes))
            measure.run(size, Math.floor(at / size) * size, name, bytes)
      },
      filledFrom: () => oldestUnfilled.get(fillTo.get() ?? 0) ?? null,
      fill() {
        const to = fillTo.get() ?? 0
        if (to <= 0) return false
        const from = Math.max(0, to - KEYS_PER_FILL)
        fillRuns.run(from, to)
        fillRequests.run(from, to)
        setFillTo.run(from)
        addUpNow()
        return from > 0
      },
      prune(now) {
        addUpNow()
        return Object.entries(KEPT_MS).some(
          ([bucket, ms]) => prune.run(BUCKET_MS[bucket as AddedBucket], now - ms) === ROWS_PER_PRUNING,
        )
      },
    },
    forgetFlow(flow) {
      addUpNow()
      for (const size of Object.values(BUCKET_MS)) for (const of of FIGURES_OF) forget.run(size, of, flow)
    },
    commitHook: {
      writeInCommit() {
        const now = monotonic()
        if (now - addedUpAt < ADD_UP_EVERY_MS) return
        addedUpAt = now
        addUpNow()
      },
      onCommitted: () => {},
    },
  }
}
