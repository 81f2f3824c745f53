import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { say } from '../../../src/shared/contract/base/message.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { createRejectedBodies } from '../../../src/main/store/runs/rejected-bodies.ts'
import { createSecretBox, newDataKey } from '../../../src/main/store/secrets/secret-box.ts'
import { aWebhookRequest } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'

it('keeps the newest bodies for which there is room, and deletes the oldest first', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS)
  const addRequest = db.prepare(`
    INSERT INTO webhook_requests (key, id, at, status, method, path, size, client, has_run, duration_ms)
    VALUES (?, ?, 1, 400, 'POST', '/', 3, '127.0.0.1', 0, 1)`)
  const box = createSecretBox({ keys: [newDataKey()], unreadable: 0, problem: say('none') })
  const bodies = createRejectedBodies(db, box, 10_000)
  const keys = Array.from({ length: 50 }, (_, index) => index + 1)
  const mostKept = Math.max(
    ...keys.map((key) => {
      addRequest.run(key, `q${key}`)
      bodies.insert(key, Buffer.alloc(900, key))
      return Number(db.prepare('SELECT sum(length(sealed)) FROM rejected_bodies').pluck().get())
    }),
  )
  const kept = keys.filter((key) => bodies.get(key)?.equals(Buffer.alloc(900, key)))
  expect({ isWithinRoom: mostKept <= 10_000, first: kept[0], newest: kept.slice(-8) }).toEqual({
    isWithinRoom: true,
    first: 50 - kept.length + 1,
    newest: [43, 44, 45, 46, 47, 48, 49, 50],
  })
  db.close()
})

it('deletes a body with its request', async () => {
  const store = await aStore()
  const at = '2026-01-01T00:00:00.000Z'
  const { id } = await store.write(() =>
    store.webhookRequests.insert(aWebhookRequest({ status: 400, at }), Buffer.from('{"id": ')),
  )
  const before = store.webhookRequests.rejectedBodyOf(id)?.toString()
  await store.write(() => store.retention.deleteExpired(Date.parse('2026-03-01T00:00:00.000Z')))
  expect([before, store.webhookRequests.rejectedBodyOf(id)]).toEqual(['{"id": ', null])
})
