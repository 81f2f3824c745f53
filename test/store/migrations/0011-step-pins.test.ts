import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'

it('existing flows have no pins, and pins are deleted with their flow', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, 10))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u');
  `)
  migrate(db, MIGRATIONS.slice(0, 11))
  const count = db.prepare('SELECT count(*) FROM step_pins').pluck()
  const before = count.get()
  db.exec("INSERT INTO step_pins (flow_key, ref_id, value, pinned_at) VALUES (1, 'a', '1', 1)")
  db.exec('DELETE FROM flows')
  expect({ before, after: count.get(), userVersion: db.pragma('user_version', { simple: true }) }).toEqual({
    before: 0,
    after: 0,
    userVersion: 11,
  })
  db.close()
})
