/**
 * The share of the history that rejected requests may take. Anyone who reaches the port can send them, so they have a
 * separate budget; new ones push out older rejected requests, never a run.
 */
import type { Database } from 'better-sqlite3'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export type RejectedRequests = ReturnType<typeof createRejectedRequests>

export interface RejectedRow {
  readonly path: string
  /** Headers as JSON. */
  readonly headers: string
}

export interface Budget {
  readonly requests: number
  readonly bytes: number
}

interface Group extends Budget {
  readonly flow_key: number | null
  readonly status: number
}

/** Share of the budget that is kept when it is exceeded; deleting a little more makes deletions rarer. */
const LEFT_AFTER_CLEARING = 0.9
const PORTION = 100
/** Size of a request without its path and headers: its other columns, its index entry, and the unused rest of pages. */
const ROW_BYTES = 700
const BYTES = `${ROW_BYTES} + octet_length(q.path) + coalesce(octet_length(p.headers), 0)`
const FROM = 'FROM webhook_requests q LEFT JOIN history_parts p ON p.key = q.key << 20 WHERE q.has_run = 0'

export function createRejectedRequests(
  db: Database,
  budget: Budget = { requests: LIMITS.rejectedRequests, bytes: LIMITS.rejectedRequestsBytes },
) {
  const total = rows<Budget>(db, `SELECT count(*) AS requests, coalesce(sum(${BYTES}), 0) AS bytes ${FROM}`)
  // Grouped by flow and status, so that a flood of one kind doesn't push out requests of other flows or with other
  // errors.
  const largest = rows<Group>(
    db,
    `SELECT q.flow_key, q.status, count(*) AS requests, sum(${BYTES}) AS bytes ${FROM}
     GROUP BY q.flow_key, q.status ORDER BY bytes DESC LIMIT 1`,
  )
  const oldest = scalar<number>(
    db,
    `SELECT key FROM webhook_requests WHERE has_run = 0 AND flow_key IS ? AND status = ?
     ORDER BY at, key LIMIT ${PORTION}`,
  )
  const deleteRequest = command(db, 'DELETE FROM webhook_requests WHERE key = ?')
  const deletePart = command(db, 'DELETE FROM history_parts WHERE key = ? << 20')
  const bodies = scalar<number>(db, 'SELECT coalesce(sum(size), 0) FROM rejected_bodies')
  /**
   * An upper bound: requests are also deleted elsewhere, and they are only counted again once there seem to be too
   * many.
   */
  let atMost: Budget | null = null

  const count = (): Budget => total.get() ?? { requests: 0, bytes: 0 }
  const isOver = ({ requests, bytes }: Budget, share = 1) =>
    requests > budget.requests * share || bytes > budget.bytes * share

  function clear(): Budget {
    for (;;) {
      const left = count()
      const group = isOver(left, LEFT_AFTER_CLEARING) ? largest.get() : undefined
      if (group === undefined) return left
      for (const key of oldest.all(group.flow_key, group.status)) {
        deletePart.run(key)
        deleteRequest.run(key)
      }
    }
  }

  return {
    /** Call after each rejected request is stored. */
    added({ path, headers }: RejectedRow): void {
      const size = ROW_BYTES + Buffer.byteLength(path) + Buffer.byteLength(headers)
      atMost = atMost === null ? count() : { requests: atMost.requests + 1, bytes: atMost.bytes + size }
      if (!isOver(atMost)) return
      atMost = count()
      if (isOver(atMost)) atMost = clear()
    },
    /** The space that they and their bodies take in the database, in bytes; estimated on the high side. */
    bytes: () => count().bytes + (bodies.get() ?? 0),
  }
}
