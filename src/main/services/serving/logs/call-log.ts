/**
 * A log of calls to Millrace's API, with caller, route, time and result, but without bodies, and without values of
 * queries or paths.
 */
import type { z } from 'zod'
import type { ApiCall, listCallsRoute } from '../../../../shared/contract/logs.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import { createHourlyLimit } from '../../kit/limited-log.ts'
import { findLines } from './find-lines.ts'
import { isWithin } from './read-logs.ts'
import { createRotatingFile } from './rotating-file.ts'

export type CallLog = ReturnType<typeof createCallLog>

export interface FinishedCall {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
  /** Null without valid credentials. */
  readonly caller: Caller | null
}

export interface CallLogOptions {
  readonly folder: string
  readonly store: Pick<Store, 'tokens'>
  readonly clock: Clock
}

/** Lines are written in groups, so a kill loses the most recent calls. */
export function createCallLog({ folder, store, clock }: CallLogOptions) {
  const file = createRotatingFile({ folder, name: 'calls', maxBytes: 2_000_000, maxFiles: 3 })
  const ofUnknown = createHourlyLimit(clock, MOST_OF_UNKNOWN)
  let waiting: string[] = []
  let timer: NodeJS.Timeout | null = null

  /** Lines that can't be written are dropped, because they must not fill the memory while the disk is full. */
  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const lines = waiting.join('')
    waiting = []
    if (lines !== '') file.write(lines, () => undefined)
  }

  return {
    /**
     * Returns at once, and never throws. Lists only a limited number of calls per hour from callers without valid
     * credentials.
     */
    note({ method, route, status, durationMs, caller }: FinishedCall): void {
      if (caller === null && !ofUnknown.take()) return
      const time = new Date(clock.now()).toISOString()
      const line: StoredCall = {
        time,
        method,
        route,
        status,
        ms: Math.round(durationMs * 10) / 10,
        caller: caller === null ? 'unknown' : caller.kind === 'token' ? 'token' : (caller.by ?? 'app'),
        ...(caller?.kind === 'token' && { token: caller.tokenId, user: caller.userId }),
      }
      waiting.push(`${JSON.stringify(line)}\n`)
      if (waiting.length >= MOST_WAITING) flush()
      else timer ??= setTimeout(flush, WRITE_AFTER_MS).unref()
    },
    list(query: z.output<typeof listCallsRoute.query>): Promise<readonly ApiCall[]> {
      flush()
      const { route = '', caller, failed, after, newer_than: newerThan, per_page: limit = 50 } = query
      const wanted = route.toLowerCase()
      const span = { since: timeOf(query.since), until: timeOf(query.until) }
      return findLines({
        folder,
        name: 'calls',
        after,
        newerThan,
        limit,
        read(id, text) {
          const call = readLine(text)
          if (call === null || (caller !== undefined && call.caller !== caller)) return null
          if (failed === 'true' && call.status < 400) return null
          if (!`${call.method} ${call.route}`.toLowerCase().includes(wanted) || !isWithin(call, span))
            return null
          const { ms, token = null, user = '', ...rest } = call
          const note = token === null ? null : (store.tokens.get(user, token)?.note ?? null)
          return { id, ...rest, duration_ms: ms, token_id: token, token_note: note }
        },
      })
    },
    /** Writes the most recent calls too. */
    close(): void {
      flush()
      file.close()
    },
  }
}

interface StoredCall extends Pick<ApiCall, 'time' | 'method' | 'route' | 'status' | 'caller'> {
  readonly ms: number
  readonly token?: string | null
  /** The user the token belongs to. */
  readonly user?: string
}

/** Null for an incomplete line. */
function readLine(text: string): StoredCall | null {
  try {
    return JSON.parse(text) as StoredCall
  } catch {
    return null
  }
}

const timeOf = (at: string | undefined) => (at === undefined ? undefined : Date.parse(at))
const WRITE_AFTER_MS = 500
const MOST_WAITING = 200
/** Limit per hour for callers without valid credentials, whose calls must not push out those of others. */
const MOST_OF_UNKNOWN = 100
