import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('requests of an older database keep the text of their reason', () => {
  const db = aDatabase({ version: 34 })
  db.exec(`INSERT INTO webhook_requests (key, id, at, status, reason, method, path, size, client, has_run, duration_ms)
    VALUES (1, 'r', 0, 404, 'as written', 'POST', '/', 0, '127.0.0.1', 0, 1)`)
  migrateTo(35, db)
  expect(db.prepare('SELECT reason, said FROM webhook_requests').raw(true).all()).toEqual([
    ['as written', null],
  ])
})
