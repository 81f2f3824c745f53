import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { seenDeliveries } from '../../../src/main/store/migrations/0008-seen-deliveries.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('an older database has seen no delivery', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, seenDeliveries.version - 1))
  migrate(db, MIGRATIONS.slice(0, seenDeliveries.version))
  expect(db.prepare('SELECT count(*) FROM seen_deliveries').pluck().get()).toBe(0)
  db.close()
})
