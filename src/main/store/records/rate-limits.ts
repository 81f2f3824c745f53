/** Counts each client's requests in time windows; kept in memory and across restarts. */
import type { Database } from 'better-sqlite3'
import { command, rows } from '../sql/statement.ts'
import type { CommitHook } from '../commit/commit.ts'

export interface RateLimitRepository {
  /** Counts one request. A client's first request opens a window; the count restarts when the window has passed. */
  count(client: string, options: { readonly now: number; readonly windowMs: number }): RateCount
  /** The current window, without counting; null if there is none. */
  peek(client: string, options: { readonly now: number; readonly windowMs: number }): RateCount | null
}

export interface RateCount {
  /** Requests in this window, including this one. */
  readonly count: number
  readonly windowEndsAt: number
}

interface Window {
  count: number
  beganAt: number
}

/** More than normal use needs; limits the memory that an attacker with many IP addresses could fill. */
const MAX_CLIENTS = 10_000

export function createRateLimitRepository(
  db: Database,
  onChange: () => void,
): { readonly repository: RateLimitRepository; readonly commitHook: CommitHook } {
  const all = rows<{ client: string; count: number; window_began_at: number }>(
    db,
    'SELECT client, count, window_began_at FROM rate_limits',
  )
  const store = command(
    db,
    `INSERT INTO rate_limits (client, count, window_began_at) VALUES (?, ?, ?)
     ON CONFLICT (client) DO UPDATE SET count = excluded.count, window_began_at = excluded.window_began_at`,
  )
  const forget = command(db, 'DELETE FROM rate_limits WHERE client = ?')
  const windows = new Map<string, Window>(
    all.all().map((row) => [row.client, { count: row.count, beganAt: row.window_began_at }]),
  )
  const changed = new Set<string>()
  /** The counts written by the last commit. */
  const written = new Map<string, number | undefined>()

  function windowOf(client: string, now: number, windowMs: number): Window {
    const current = windows.get(client)
    // If a window starts in the future, the clock was set back after it was opened.
    if (current && current.beganAt <= now && now < current.beganAt + windowMs) return current
    if (!current && windows.size >= MAX_CLIENTS) forgetOldest()
    const fresh = { count: 0, beganAt: now }
    windows.set(client, fresh)
    return fresh
  }

  function forgetOldest(): void {
    const [oldest] = [...windows].sort(([, a], [, b]) => a.beganAt - b.beganAt)
    if (oldest === undefined) return
    windows.delete(oldest[0])
    changed.add(oldest[0])
  }

  return {
    repository: {
      count(client, { now, windowMs }) {
        const window = windowOf(client, now, windowMs)
        window.count++
        changed.add(client)
        onChange()
        return { count: window.count, windowEndsAt: window.beganAt + windowMs }
      },
      peek(client, { now, windowMs }) {
        const window = windows.get(client)
        if (!window || window.beganAt > now || now >= window.beganAt + windowMs) return null
        return { count: window.count, windowEndsAt: window.beganAt + windowMs }
      },
    },
    commitHook: {
      writeInCommit() {
        written.clear()
        for (const client of changed) {
          const window = windows.get(client)
          written.set(client, window?.count)
          if (window === undefined) forget.run(client)
          else store.run(client, window.count, window.beganAt)
        }
      },
      onCommitted() {
        for (const [client, count] of written)
          if (windows.get(client)?.count === count) changed.delete(client)
      },
    },
  }
}
