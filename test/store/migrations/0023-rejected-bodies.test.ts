import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { rejectedBodies } from '../../../src/main/store/migrations/0023-rejected-bodies.ts'

it('keeps the requests, and from then on stores bodies that are deleted with them', () => {
  const db = new Database(':memory:')
  migrate(
    db,
    MIGRATIONS.filter(({ version }) => version < rejectedBodies.version),
  )
  db.exec(`
    INSERT INTO webhook_requests (key, id, at, status, method, path, size, client, has_run, duration_ms)
    VALUES (7, 'q', 1, 400, 'POST', '/', 3, '127.0.0.1', 0, 1);
  `)
  migrate(
    db,
    MIGRATIONS.filter(({ version }) => version <= rejectedBodies.version),
  )
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  db.exec(`INSERT INTO rejected_bodies (request_key, size, sealed) VALUES (7, 3, x'010203')`)
  const before = [count('webhook_requests'), count('rejected_bodies')]
  db.exec('DELETE FROM webhook_requests')
  expect([before, count('rejected_bodies')]).toEqual([[1, 1], 0])
  db.close()
})
