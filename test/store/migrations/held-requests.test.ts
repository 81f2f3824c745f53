import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('requests of an older database were not held', () => {
  const db = aDatabase({ version: 38 })
  const count = db.prepare('SELECT count(*) FROM webhook_requests').pluck()
  const before = count.get()
  migrateTo(39, db)
  const held = db.prepare('SELECT count(*) FROM held_requests').pluck().get()
  expect({ held, requests: count.get() }).toEqual({ held: 0, requests: before })
})
