import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('existing flows become those of the first user', () => {
  const db = aDatabase({ version: 4 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('a', 'Ann', '', 'owner', 1), ('b', 'Ben', '', 'member', 2);
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
      VALUES ('f', 'Orders', '', '[]', 'draft', '{}', 1, 3, 3);
  `)
  const flows = () => db.prepare('SELECT id, name, updated_at FROM flows').raw().all()
  const before = flows()
  migrateTo(5, db)
  const owners = db.prepare('SELECT owner_id FROM flows').pluck().all()
  expect({ flows: flows(), owners, userVersion: db.pragma('user_version', { simple: true }) }).toEqual({
    flows: before,
    owners: ['a'],
    userVersion: 5,
  })
})

it('no schedule of an older database is active', () => {
  const db = aDatabase({ version: 5 })
  migrateTo(6, db)
  expect(db.prepare('SELECT count(*) FROM schedules').pluck().get()).toBe(0)
})

it('existing flows have no pins, and pins are deleted with their flow', () => {
  const db = aDatabase({ version: 10 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u');
  `)
  migrateTo(11, db)
  const count = db.prepare('SELECT count(*) FROM step_pins').pluck()
  const before = count.get()
  db.exec("INSERT INTO step_pins (flow_key, ref_id, value, pinned_at) VALUES (1, 'a', '1', 1)")
  db.exec('DELETE FROM flows')
  expect({ before, after: count.get(), userVersion: db.pragma('user_version', { simple: true }) }).toEqual({
    before: 0,
    after: 0,
    userVersion: 11,
  })
})

it('existing steps count as written by the owner of their flow', () => {
  const db = aDatabase({ version: 13 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u');
    INSERT INTO flow_versions (flow_key, version, steps, created_at) VALUES (1, 1, '[]', 1);
    INSERT INTO working_copies (flow_key, steps, updated_at) VALUES (1, '[]', 1);
  `)
  migrateTo(14, db)
  const authors = ['flow_versions', 'working_copies'].map((table) =>
    db.prepare(`SELECT author_id FROM ${table}`).pluck().get(),
  )
  expect(authors).toEqual([null, null])
})

it('author and origin of existing pins are unknown', () => {
  const db = aDatabase({ version: 15 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u');
    INSERT INTO step_pins (flow_key, ref_id, value, pinned_at) VALUES (1, 'a', '7', 5);
  `)
  migrateTo(16, db)
  const pins = db
    .prepare('SELECT json_array(ref_id, value, pinned_at, author_id, flow_run_id) FROM step_pins')
    .pluck()
  expect(pins.all()).toEqual(['["a","7",5,null,null]'])
})

it('existing versions stay, and have no name', () => {
  const db = aDatabase({ version: 21 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ada', '', 'admin', 1);
    INSERT INTO flows (id, name, description, tags, status, settings, concurrency, version, created_at, updated_at,
      owner_id)
    VALUES ('f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 1, 'u');
    INSERT INTO flow_versions (flow_key, version, steps, created_at) SELECT key, 1, '[]', 5 FROM flows;
  `)
  migrateTo(22, db)
  const row = db.prepare('SELECT version, steps, created_at, name FROM flow_versions').raw().get()
  expect(row).toEqual([1, '[]', 5, ''])
})

it('keeps the flows, and deletes alarms that were sent with their flow', () => {
  const db = aDatabase({ version: 23 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (7, 'f', 'Orders', '', '[]', 'active', '{}', 1, 1, 1, 'u');
  `)
  migrateTo(24, db)
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  db.exec(`
    INSERT INTO alarm_states (flow_key, is_open, told_open, held_back, off_ms) VALUES (7, 1, 1, 3, 0);
    INSERT INTO alarms (body, channels, next_at) VALUES ('{}', '["email"]', 1);
  `)
  const stored = [count('flows'), count('alarm_states'), count('alarms')]
  db.exec('DELETE FROM flows')
  expect([stored, count('alarm_states'), count('alarms')]).toEqual([[1, 1, 1], 0, 1])
})

it('schedules are unchanged, and triggers start without findings', () => {
  const db = aDatabase({ version: 27 })
  db.exec(`
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
    VALUES ('f', 'F', '', '[]', 'active', '{}', 1, 1, 1);
    INSERT INTO schedules (flow_key, fingerprint, handled_until) SELECT key, 'p', 5 FROM flows;
  `)
  migrateTo(28, db)
  expect([
    db.prepare('SELECT handled_until FROM schedules').pluck().all(),
    db.prepare('SELECT count(*) FROM triggers').pluck().get(),
    db.prepare('SELECT count(*) FROM trigger_entries').pluck().get(),
  ]).toEqual([[5], 0, 0])
})

it('triggers go on as before, and a suspect is deleted with its trigger', () => {
  const db = aDatabase({ version: 31 })
  db.exec(`
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
    VALUES ('f', 'F', '', '[]', 'active', '{}', 1, 1, 1);
    INSERT INTO triggers (flow_key, fingerprint, next_at) SELECT key, 'x', 5 FROM flows;
  `)
  migrateTo(32, db)
  const trigger = db.prepare('SELECT fingerprint, next_at, reading FROM triggers').raw().all()
  db.exec(
    `INSERT INTO trigger_suspects (flow_key, item, state, deaths, at) SELECT flow_key, '', 'suspect', 1, 1 FROM triggers`,
  )
  db.exec('DELETE FROM triggers')
  expect([trigger, db.prepare('SELECT count(*) FROM trigger_suspects').pluck().get()]).toEqual([
    [['x', 5, null]],
    0,
  ])
})
