/** Counts webhook requests to paused flows; nothing else about them is kept. */
import type { Database } from 'better-sqlite3'
import { toIso } from '../sql/codec.ts'
import { command, rows } from '../sql/statement.ts'
import type { CommitHook } from '../commit/commit.ts'

export interface PausedCount {
  readonly flow_id: string
  readonly count: number
  readonly last_at: string
}

export interface PausedRequestRepository {
  add(flowId: string, at: number): void
  /** Most recently called flows first. */
  list(): readonly PausedCount[]
}

interface Added {
  count: number
  lastAt: number
}

export function createPausedRequestRepository(
  db: Database,
  onChange: () => void,
): { readonly repository: PausedRequestRepository; readonly commitHook: CommitHook } {
  const all = rows<{ flow_id: string; count: number; last_at: number }>(
    db,
    'SELECT f.id AS flow_id, p.count, p.last_at FROM paused_requests p JOIN flows f ON f.key = p.flow_key',
  )
  const store = command(
    db,
    `INSERT INTO paused_requests (flow_key, count, last_at)
     SELECT key, ?, ? FROM flows WHERE id = ? AND deleted_at IS NULL
     ON CONFLICT (flow_key) DO UPDATE SET count = count + excluded.count, last_at = excluded.last_at`,
  )
  const added = new Map<string, Added>()

  return {
    repository: {
      add(flowId, at) {
        added.set(flowId, { count: (added.get(flowId)?.count ?? 0) + 1, lastAt: at })
        onChange()
      },
      list() {
        const counts = new Map(
          all.all().map((row) => [row.flow_id, { count: row.count, lastAt: row.last_at }]),
        )
        for (const [flowId, { count, lastAt }] of added) {
          counts.set(flowId, { count: (counts.get(flowId)?.count ?? 0) + count, lastAt })
        }
        return [...counts]
          .sort(([, a], [, b]) => b.lastAt - a.lastAt)
          .map(([flow_id, { count, lastAt }]) => ({ flow_id, count, last_at: toIso(lastAt) }))
      },
    },
    commitHook: {
      writeInCommit() {
        for (const [flowId, { count, lastAt }] of added) store.run(count, lastAt, flowId)
      },
      onCommitted: () => added.clear(),
      // The thread must not write counts, because a count that is read meanwhile would be in the database and in
      // memory.
      needsMainThread: () => added.size > 0,
    },
  }
}
