import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { alarms } from '../../../src/main/store/migrations/0024-alarms.ts'

it('keeps the flows, and deletes alarms that were sent with their flow', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  const before = MIGRATIONS.filter(({ version }) => version < alarms.version)
  migrate(db, before)
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (7, 'f', 'Orders', '', '[]', 'active', '{}', 1, 1, 1, 'u');
  `)
  migrate(db, [...before, alarms])
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  db.exec(`
    INSERT INTO alarm_states (flow_key, is_open, told_open, held_back, off_ms) VALUES (7, 1, 1, 3, 0);
    INSERT INTO alarms (body, channels, next_at) VALUES ('{}', '["email"]', 1);
  `)
  const stored = [count('flows'), count('alarm_states'), count('alarms')]
  db.exec('DELETE FROM flows')
  expect([stored, count('alarm_states'), count('alarms')]).toEqual([[1, 1, 1], 0, 1])
  db.close()
})
