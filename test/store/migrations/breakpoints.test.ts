import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('flows of an older database have no breakpoints, and no run has stopped', () => {
  const db = aDatabase({ version: 39 })
  migrateTo(40, db)
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect([count('breakpoints'), count('run_stops')]).toEqual([0, 0])
})
