import { expect, it } from 'vitest'
import { rows } from '../../../src/main/store/sql/statement.ts'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('no run of an older database is resolved', () => {
  const db = aDatabase({ version: 47 })
  migrateTo(48, db)
  expect(rows(db, 'SELECT * FROM run_resolutions').all()).toEqual([])
})
