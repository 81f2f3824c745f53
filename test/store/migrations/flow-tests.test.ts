import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('flows of an older database have no tests', () => {
  const db = aDatabase({ version: 44 })
  migrateTo(45, db)
  expect(db.prepare('SELECT count(*) FROM flow_tests').pluck().get()).toBe(0)
})
