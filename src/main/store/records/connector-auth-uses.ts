import type { Database } from 'better-sqlite3'
import type { ConnectorAuthUse } from '../../../shared/contract/connector-auths.ts'
import { toIso, toTime } from '../sql/codec.ts'
import { command, rows } from '../sql/statement.ts'

export type NotedUse = Omit<ConnectorAuthUse, 'flows'>

/** The results of one day's calls with the credentials: counts since they were last stored, and the newest result. */
export interface NotedResults {
  readonly at: string
  readonly ok: boolean
  readonly worked: number
  readonly rejected: number
}

export type ConnectorAuthUseRepository = ReturnType<typeof createConnectorAuthUseRepository>

interface UseRow {
  readonly auth_id: string
  readonly last_used: number | null
  readonly last_tested: number | null
  readonly last_test_ok: number | null
  readonly last_result: number | null
  readonly last_result_ok: number | null
}

interface DayRow {
  readonly auth_id: string
  readonly day: number
  readonly worked: number
  readonly rejected: number
}

const DAY_MS = 86_400_000
/** Includes today. */
const KEPT_DAYS = 30
const dayOf = (at: string) => Math.floor(toTime(at) / DAY_MS)

export function createConnectorAuthUseRepository(db: Database) {
  const all = rows<UseRow>(
    db,
    `SELECT a.id AS auth_id, u.last_used, u.last_tested, u.last_test_ok, u.last_result, u.last_result_ok
     FROM connector_auth_uses u JOIN connector_auths a ON a.key = u.auth_key`,
  )
  const use = command(
    db,
    `INSERT INTO connector_auth_uses (auth_key, last_used) SELECT key, @at FROM connector_auths WHERE id = @id
     ON CONFLICT (auth_key) DO UPDATE SET last_used = excluded.last_used`,
  )
  const test = command(
    db,
    `INSERT INTO connector_auth_uses (auth_key, last_tested, last_test_ok)
     SELECT key, @at, @ok FROM connector_auths WHERE id = @id
     ON CONFLICT (auth_key) DO UPDATE SET last_tested = excluded.last_tested, last_test_ok = excluded.last_test_ok`,
  )
  const forget = command(
    db,
    `UPDATE connector_auth_uses SET last_tested = NULL, last_test_ok = NULL, last_result = NULL, last_result_ok = NULL
     WHERE auth_key = (SELECT key FROM connector_auths WHERE id = @id)`,
  )
  const result = command(
    db,
    `INSERT INTO connector_auth_uses (auth_key, last_result, last_result_ok)
     SELECT key, @at, @ok FROM connector_auths WHERE id = @id
     ON CONFLICT (auth_key) DO UPDATE SET last_result = excluded.last_result, last_result_ok = excluded.last_result_ok`,
  )
  const days = rows<DayRow>(
    db,
    `SELECT a.id AS auth_id, d.day, d.worked, d.rejected
     FROM connector_auth_days d JOIN connector_auths a ON a.key = d.auth_key WHERE d.day > ? ORDER BY d.day`,
  )
  const count = command(
    db,
    `INSERT INTO connector_auth_days (auth_key, day, worked, rejected)
     SELECT key, @day, @worked, @rejected FROM connector_auths WHERE id = @id
     ON CONFLICT (auth_key, day) DO UPDATE SET worked = worked + excluded.worked, rejected = rejected + excluded.rejected`,
  )
  const drop = command(
    db,
    `DELETE FROM connector_auth_days
     WHERE auth_key = (SELECT key FROM connector_auths WHERE id = @id) AND day <= @day`,
  )

  /** The days by auth, oldest first. */
  function daysUntil(now: number): ReadonlyMap<string, ConnectorAuthUse['days']> {
    const recent = days.all(Math.floor(now / DAY_MS) - KEPT_DAYS)
    return new Map(
      [...Map.groupBy(recent, ({ auth_id: id }) => id)].map(([id, ofAuth]) => [
        id,
        ofAuth.map(({ day, worked, rejected }) => ({
          date: toIso(day * DAY_MS).slice(0, 10),
          worked,
          rejected,
        })),
      ]),
    )
  }

  return {
    /** Auths that have ever been used or tested, with the days up to `now`. */
    list(now: number): readonly NotedUse[] {
      const noted = daysUntil(now)
      return all
        .all()
        .map(({ auth_id, last_used, last_tested, last_test_ok, last_result, last_result_ok }) => ({
          auth_id,
          last_used: last_used === null ? null : toIso(last_used),
          last_tested: last_tested === null ? null : toIso(last_tested),
          last_test_ok: last_test_ok === null ? null : last_test_ok === 1,
          last_result: last_result === null ? null : toIso(last_result),
          last_result_ok: last_result_ok === null ? null : last_result_ok === 1,
          days: [...(noted.get(auth_id) ?? [])],
        }))
    },
    noteUse: (id: string, at: string) => void use.run({ id, at: toTime(at) }),
    /** Call when the stored credentials have changed since the test and the last call. */
    forgetTest: (id: string) => void forget.run({ id }),
    noteTest: (id: string, at: string, ok: boolean) => void test.run({ id, at: toTime(at), ok: ok ? 1 : 0 }),
    noteResults(id: string, { at, ok, worked, rejected }: NotedResults): void {
      result.run({ id, at: toTime(at), ok: ok ? 1 : 0 })
      count.run({ id, day: dayOf(at), worked, rejected })
      drop.run({ id, day: dayOf(at) - KEPT_DAYS })
    },
  }
}
