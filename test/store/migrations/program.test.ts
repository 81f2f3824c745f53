import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('an older database gets a table for keys, one row per caller and key', () => {
  const db = aDatabase({ version: 3 })
  migrateTo(4, db)
  const insert = db.prepare(
    `INSERT INTO idempotency_keys (caller, idempotency_key, sealed, created_at) VALUES (?, ?, NULL, 1)`,
  )
  for (const [caller, key] of [
    ['a', 'k'],
    ['b', 'k'],
    ['a', 'l'],
  ]) {
    insert.run(caller, key)
  }
  expect(db.pragma('user_version', { simple: true })).toBe(4)
  expect(() => insert.run('a', 'k')).toThrow(/UNIQUE/)
})

it('keeps what is replaced or deleted from then on, and leaves pins unchanged', () => {
  const db = aDatabase({ version: 17 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id,
      webhook_token_sealed)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u', x'01');
    INSERT INTO env_variables (id, name, type, sealed, secret, created_at, updated_at) VALUES ('e', 'n', 'text', x'02', 1, 1, 1);
    INSERT INTO env_variables (id, name, type, value, secret, created_at, updated_at) VALUES ('o', 'o', 'text', '"open"', 0, 1, 1);
    INSERT INTO step_pins (flow_key, ref_id, value, pinned_at) VALUES (1, 'a', '{"b":1}', 1);
  `)
  migrateTo(18, db)
  const kept = () =>
    db.prepare("SELECT owner || ' ' || hex(sealed) FROM former_secrets ORDER BY key").pluck().all()
  const before = kept()
  db.exec(`
    UPDATE flows SET webhook_token_sealed = x'03';
    UPDATE env_variables SET sealed = x'02', name = 'm' WHERE id = 'e';
    UPDATE env_variables SET value = '"other"' WHERE id = 'o';
    UPDATE env_variables SET sealed = x'04' WHERE id = 'e';
    DELETE FROM env_variables;
    UPDATE flows SET webhook_token_sealed = NULL;
  `)
  expect({
    before,
    after: kept(),
    pins: db
      .prepare('SELECT json_array(ref_id, value, hex(sealed), newest_key) FROM step_pins')
      .pluck()
      .all(),
  }).toEqual({
    before: [],
    after: ['flows:f 01', 'env_variables:e 02', 'env_variables:e 04', 'flows:f 03'],
    pins: [String.raw`["a","{\"b\":1}","",0]`],
  })
})

it('has a row for one tunnel, and the settings are unchanged', () => {
  const db = aDatabase({ version: 24 })
  db.exec(`INSERT INTO settings (name, value) VALUES ('theme', '"dark"')`)
  migrateTo(25, db)
  const insert = (id: number) =>
    db.prepare(`INSERT INTO tunnel (id, settings, is_wanted) VALUES (?, '{}', 0)`).run(id)
  insert(1)
  expect(() => insert(2)).toThrow('CHECK')
  expect(db.prepare('SELECT value FROM settings').pluck().get()).toBe('"dark"')
})
