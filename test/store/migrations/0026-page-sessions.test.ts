import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { pageSessions } from '../../../src/main/store/migrations/0026-page-sessions.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('tokens stay, and nobody is signed in from elsewhere', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, pageSessions.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, expiration, created_at)
    VALUES ('t', 'u', 'h', 'abcd', 'script', '["automation"]', 9, 1);
  `)
  migrate(db, MIGRATIONS.slice(0, pageSessions.version))
  expect([
    db.prepare('SELECT id FROM tokens').pluck().all(),
    db.prepare('SELECT count(*) FROM page_sessions').pluck().get(),
  ]).toEqual([['t'], 0])
  db.close()
})
