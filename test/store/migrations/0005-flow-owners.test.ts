import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'

it('existing flows become those of the first user', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, 4))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('a', 'Ann', '', 'owner', 1), ('b', 'Ben', '', 'member', 2);
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
      VALUES ('f', 'Orders', '', '[]', 'draft', '{}', 1, 3, 3);
  `)
  const flows = () => db.prepare('SELECT id, name, updated_at FROM flows').raw().all()
  const before = flows()
  migrate(db, MIGRATIONS.slice(0, 5))
  const owners = db.prepare('SELECT owner_id FROM flows').pluck().all()
  expect({ flows: flows(), owners, userVersion: db.pragma('user_version', { simple: true }) }).toEqual({
    flows: before,
    owners: ['a'],
    userVersion: 5,
  })
  db.close()
})
