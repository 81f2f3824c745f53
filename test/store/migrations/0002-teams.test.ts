import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'

it('adds teams to the existing users', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('a', 'Ann', 'ann@example.test', 'owner', 1);
    INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, created_at)
      VALUES ('t', 'a', 'h', '1234', '', '["automation"]', 2);
  `)
  const rows = () => [
    db.prepare('SELECT * FROM users').raw().all(),
    db.prepare('SELECT * FROM tokens').raw().all(),
  ]
  const before = rows()
  migrate(db, MIGRATIONS.slice(0, 2))
  expect({ rows: rows(), userVersion: db.pragma('user_version', { simple: true }) }).toEqual({
    rows: before,
    userVersion: 2,
  })
  db.exec(`
    INSERT INTO teams (id, name, created_at, updated_at) VALUES ('x', 'Sales', 3, 3);
    INSERT INTO team_members (team_key, user_id, position) SELECT key, 'a', 0 FROM teams;
  `)
  db.exec("DELETE FROM users WHERE id = 'a'")
  expect(db.prepare('SELECT count(*) FROM team_members').pluck().get()).toBe(0)
  db.close()
})
