import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'

it('an older database gets a table for keys, one row per caller and key', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, 3))
  migrate(db, MIGRATIONS.slice(0, 4))
  const insert = db.prepare(
    `INSERT INTO idempotency_keys (caller, idempotency_key, sealed, created_at) VALUES (?, ?, NULL, 1)`,
  )
  for (const [caller, key] of [
    ['a', 'k'],
    ['b', 'k'],
    ['a', 'l'],
  ]) {
    insert.run(caller, key)
  }
  expect(db.pragma('user_version', { simple: true })).toBe(4)
  expect(() => insert.run('a', 'k')).toThrow(/UNIQUE/)
  db.close()
})
