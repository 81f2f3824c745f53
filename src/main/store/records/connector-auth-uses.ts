import type { Database } from 'better-sqlite3'
import type { ConnectorAuthUse } from '../../../shared/contract/connector-auths.ts'
import { toIso, toTime } from '../sql/codec.ts'
import { command, rows } from '../sql/statement.ts'

export type NotedUse = Omit<ConnectorAuthUse, 'flows'>

export type ConnectorAuthUseRepository = ReturnType<typeof createConnectorAuthUseRepository>

interface UseRow {
  readonly auth_id: string
  readonly last_used: number | null
  readonly last_tested: number | null
  readonly last_test_ok: number | null
}

export function createConnectorAuthUseRepository(db: Database) {
  const all = rows<UseRow>(
    db,
    `SELECT a.id AS auth_id, u.last_used, u.last_tested, u.last_test_ok
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
    `UPDATE connector_auth_uses SET last_tested = NULL, last_test_ok = NULL
     WHERE auth_key = (SELECT key FROM connector_auths WHERE id = @id)`,
  )
  return {
    /** Auths that were ever used or tested. */
    list: (): readonly NotedUse[] =>
      all.all().map(({ auth_id, last_used, last_tested, last_test_ok }) => ({
        auth_id,
        last_used: last_used === null ? null : toIso(last_used),
        last_tested: last_tested === null ? null : toIso(last_tested),
        last_test_ok: last_test_ok === null ? null : last_test_ok === 1,
      })),
    noteUse: (id: string, at: string) => void use.run({ id, at: toTime(at) }),
    /** The stored credentials have changed since the test. */
    forgetTest: (id: string) => void forget.run({ id }),
    noteTest: (id: string, at: string, ok: boolean) => void test.run({ id, at: toTime(at), ok: ok ? 1 : 0 }),
  }
}
