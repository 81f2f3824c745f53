import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('requests of an older database have no outcome of their own', () => {
  const db = aDatabase({ version: 41 })
  db.exec(`INSERT INTO webhook_requests (key, id, at, status, reason, method, path, size, client, has_run, duration_ms)
    VALUES (1, 'one', 0, 401, 'refused', 'POST', '/', 0, '127.0.0.1', 0, 0)`)
  migrateTo(42, db)
  expect(db.prepare('SELECT id, reason, outcome FROM webhook_requests').raw(true).all()).toEqual([
    ['one', 'refused', null],
  ])
})
