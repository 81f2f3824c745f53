import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('connectors of an older database have no rate limit', () => {
  const db = aDatabase({ version: 37 })
  const count = db.prepare('SELECT count(*) FROM connectors').pluck()
  const before = count.get()
  migrateTo(38, db)
  expect(db.prepare('SELECT count(*) FROM connectors WHERE rate_limit IS NULL').pluck().get()).toBe(before)
})
