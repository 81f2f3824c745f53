import { expect, it } from 'vitest'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { createTokenRepository } from '../../../src/main/store/records/tokens.ts'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('adds teams to the existing users', () => {
  const db = aDatabase({ version: 1 })
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
  migrateTo(2, db)
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
})

it('existing tokens keep their values, and are still recognized after they end', () => {
  const db = aDatabase({ version: 11 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, created_at)
    VALUES ('t', 'u', 'h', 'abcd', 'CI', '["embed"]', 1);
  `)
  migrateTo(MIGRATIONS.at(-1)?.version ?? 0, db)
  const tokens = createTokenRepository(db)
  expect({ current: tokens.findByHash('h')?.note, former: tokens.findFormer('h') }).toEqual({
    current: 'CI',
    former: null,
  })
  tokens.delete('u', 't', '2026-03-01T00:00:00.000Z')
  expect({ current: tokens.findByHash('h'), former: tokens.findFormer('h')?.note }).toEqual({
    current: null,
    former: 'CI',
  })
})

it('an existing token counts as created by no other token', () => {
  const db = aDatabase({ version: 16 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, expiration, created_at)
    VALUES ('t', 'u', 'h', 'abcd', 'script', '["automation"]', 9, 1);
  `)
  migrateTo(17, db)
  expect(db.prepare('SELECT json_array(id, note, expiration, created_by) FROM tokens').pluck().all()).toEqual(
    ['["t","script",9,null]'],
  )
})

it('tokens stay, and nobody is signed in from elsewhere', () => {
  const db = aDatabase({ version: 25 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO tokens (id, user_id, hash, last_four, note, scopes, expiration, created_at)
    VALUES ('t', 'u', 'h', 'abcd', 'script', '["automation"]', 9, 1);
  `)
  migrateTo(26, db)
  expect([
    db.prepare('SELECT id FROM tokens').pluck().all(),
    db.prepare('SELECT count(*) FROM page_sessions').pluck().get(),
  ]).toEqual([['t'], 0])
})
