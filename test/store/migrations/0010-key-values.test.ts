import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { keyValues } from '../../../src/main/store/migrations/0010-key-values.ts'

it('an older database has no values and accepts new ones', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, keyValues.version - 1))
  migrate(db, MIGRATIONS.slice(0, keyValues.version))
  const count = () => db.prepare('SELECT count(*) FROM key_values').pluck().get()
  const before = count()
  db.prepare('INSERT INTO key_values VALUES (?, ?, NULL, ?)').run('a', Buffer.from('x'), 'run/a')
  expect({ before, after: count() }).toEqual({ before: 0, after: 1 })
  db.close()
})
