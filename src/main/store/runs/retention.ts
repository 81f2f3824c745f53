/** Deletes history in batches, so that none of them blocks the program. */
import type { Database } from 'better-sqlite3'
import { keysOfRun } from '../history/ids.ts'
import type { RunSearch } from '../search/run-search.ts'
import { command, rows, scalar } from '../sql/statement.ts'
import type { RejectedRequests } from './rejected-requests.ts'

/** Each call deletes one batch and must run inside a write; true means that there may be more. */
export type RetentionRepository = ReturnType<typeof createRetention>

const PORTION = 500
/**
 * Small, so that no more than necessary is deleted, because these runs haven't expired; there are just too many of
 * them.
 */
const OLDEST_PORTION = 50
/** A run with more parts than this (each up to 64 KB of steps) is deleted over several batches. */
const PARTS_PER_PORTION = 1_000
const DAY_MS = 24 * 60 * 60 * 1_000
/** Days for which requests that started no run are kept. */
const REFUSED_REQUEST_DAYS = 30

interface FlowAge {
  readonly key: number
  readonly days: number
}

export function createRetention(
  db: Database,
  search: Pick<RunSearch, 'remove'>,
  rejected: Pick<RejectedRequests, 'bytes'>,
  forgetFigures: (flowKey: number) => void,
) {
  const ages = rows<FlowAge>(
    db,
    `SELECT key, json_extract(settings, '$.data_retention_days') AS days
     FROM flows WHERE deleted_at IS NULL`,
  )
  const deletedFlows = scalar<number>(db, 'SELECT key FROM flows WHERE deleted_at IS NOT NULL')
  const forgetFlow = command(db, 'DELETE FROM flows WHERE key = ?')
  // Keys increase with time, so the oldest come first, and reading stops at the first one that is too young.
  const runsOfFlow = rows<{ key: number; created_at: number; finished_at: number | null }>(
    db,
    'SELECT key, created_at, finished_at FROM flow_runs WHERE flow_key = ? ORDER BY key',
  )
  const endedRuns = scalar<number>(
    db,
    `SELECT key FROM flow_runs WHERE finished_at IS NOT NULL ORDER BY key LIMIT ${OLDEST_PORTION}`,
  )
  const openRuns = scalar<number>(
    db,
    `SELECT key FROM flow_runs WHERE from_anyone = 1 AND finished_at IS NOT NULL ORDER BY key LIMIT ${OLDEST_PORTION}`,
  )
  const unendedOpenBytes = scalar<number>(
    db,
    `SELECT sum(coalesce(octet_length(p.steps), 0) + coalesce(length(p.sealed), 0) + coalesce(octet_length(p.headers), 0))
     FROM flow_runs r JOIN history_parts p ON p.key >= r.key << 20 AND p.key < (r.key + 1) << 20
     WHERE r.from_anyone = 1 AND r.finished_at IS NULL`,
  )
  const anyRuns = scalar<number>(db, `SELECT key FROM flow_runs WHERE flow_key = ? LIMIT ${PORTION}`)
  const refusedRequests = scalar<number>(
    db,
    `SELECT key FROM webhook_requests WHERE has_run = 0 AND flow_key IS ? AND at < ? LIMIT ${PORTION}`,
  )
  const countParts = scalar<number>(
    db,
    `SELECT count(*) FROM (SELECT 1 FROM history_parts WHERE key BETWEEN ? AND ? LIMIT ${PARTS_PER_PORTION + 1})`,
  )
  const deleteSomeParts = command(
    db,
    `DELETE FROM history_parts WHERE key IN
       (SELECT key FROM history_parts WHERE key BETWEEN ? AND ? LIMIT ${PARTS_PER_PORTION})`,
  )
  const deleteRequest = command(db, 'DELETE FROM webhook_requests WHERE key = ?')
  const deleteParts = command(db, 'DELETE FROM history_parts WHERE key BETWEEN ? AND ?')
  const deleteRun = command(db, 'DELETE FROM flow_runs WHERE key = ?')

  /** Deletes requests that started no run; true if some may remain. */
  function removeRequests(flowKey: number | null, before: number): boolean {
    const keys = refusedRequests.all(flowKey, before)
    for (const key of keys) {
      deleteParts.run(...keysOfRun(key))
      deleteRequest.run(key)
    }
    return keys.length === PORTION
  }

  /** Deletes runs with the requests that started them. True if something remains to be deleted. */
  function removeRuns(keys: readonly number[], portion = PORTION): boolean {
    let partsLeft = PARTS_PER_PORTION
    for (const key of keys) {
      partsLeft -= countParts.get(...keysOfRun(key)) ?? 0
      if (partsLeft < 0) {
        deleteSomeParts.run(...keysOfRun(key))
        return true
      }
      deleteParts.run(...keysOfRun(key))
      deleteRequest.run(key)
      search.remove(key)
      deleteRun.run(key)
    }
    return keys.length === portion
  }

  function expiredRuns(flowKey: number, before: number): readonly number[] {
    const expired: number[] = []
    for (const run of runsOfFlow.each(flowKey)) {
      if (run.created_at >= before || expired.length === PORTION) break
      if (run.finished_at !== null && run.finished_at < before) expired.push(run.key)
    }
    return expired
  }

  return {
    /** Deletes ended runs and rejected requests that are past their flow's retention; `now` in milliseconds. */
    deleteExpired(now: number): boolean {
      const requestsBefore = now - REFUSED_REQUEST_DAYS * DAY_MS
      for (const { key, days } of ages.all()) {
        if (removeRuns(expiredRuns(key, now - days * DAY_MS))) return true
        if (removeRequests(key, requestsBefore)) return true
      }
      return removeRequests(null, requestsBefore)
    },
    /**
     * Deletes the oldest ended runs, whatever their age, for a history that has grown too large. Runs that anyone could
     * start, and those they started, go first, so that nobody without credentials can push out other runs.
     */
    deleteOldest(): boolean {
      const open = openRuns.all()
      return open.length > 0 ? removeRuns(open, open.length) : removeRuns(endedRuns.all(), OLDEST_PORTION)
    },
    /**
     * Space in bytes that callers without credentials caused and `deleteOldest` can't free: rejected requests, which
     * have a separate budget, and runs that anyone can start and that haven't ended yet.
     */
    strangersBytes: () => rejected.bytes() + (unendedOpenBytes.get() ?? 0),
    /** Deletes the remaining history of deleted flows. */
    deleteRemains(): boolean {
      for (const key of deletedFlows.all()) {
        const runs = anyRuns.all(key)
        if (runs.length > 0) {
          removeRuns(runs)
          return true
        }
        if (removeRequests(key, Number.MAX_SAFE_INTEGER)) return true
        forgetFigures(key)
        forgetFlow.run(key)
      }
      return false
    },
  }
}
