import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { tunnel } from '../../../src/main/store/migrations/0025-tunnel.ts'

it('has a row for one tunnel, and the settings are unchanged', () => {
  const db = new Database(':memory:')
  migrate(
    db,
    MIGRATIONS.filter(({ version }) => version < tunnel.version),
  )
  db.exec(`INSERT INTO settings (name, value) VALUES ('theme', '"dark"')`)
  migrate(
    db,
    MIGRATIONS.filter(({ version }) => version <= tunnel.version),
  )
  const insert = (id: number) =>
    db.prepare(`INSERT INTO tunnel (id, settings, is_wanted) VALUES (?, '{}', 0)`).run(id)
  insert(1)
  expect(() => insert(2)).toThrow('CHECK')
  expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('"dark"')
  db.close()
})
