import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'

it('existing runs wait to be indexed, and none of them is missed', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, 12))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u');
    INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at, attempt)
    VALUES (7, 'r', 1, 1, 'Order', 'manual', 'success', 1, 1);
  `)
  migrate(db, MIGRATIONS.slice(0, 13))
  const one = (sql: string) => db.prepare(sql).pluck().get()
  const before = [one('SELECT indexed_to FROM run_search_state'), one('SELECT count(*) FROM run_search')]
  db.exec('INSERT INTO run_search_waiting (run_key) VALUES (7)')
  db.exec('DELETE FROM flow_runs')
  expect({ before, waiting: one('SELECT count(*) FROM run_search_waiting') }).toEqual({
    before: [0, 0],
    waiting: 0,
  })
  expect(db.pragma('user_version', { simple: true })).toBe(13)
  db.close()
})
