import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { schedules } from '../../../src/main/store/migrations/0006-schedules.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { createScheduleRepository } from '../../../src/main/store/records/schedules.ts'

it('no schedule of an older database is active', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, schedules.version - 1))
  migrate(db, MIGRATIONS.slice(0, schedules.version))
  expect(createScheduleRepository(db).get('any')).toBe(null)
  db.close()
})
