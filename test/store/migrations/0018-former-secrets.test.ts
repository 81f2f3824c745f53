import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { formerSecrets } from '../../../src/main/store/migrations/0018-former-secrets.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('keeps what is replaced or deleted from then on, and leaves pins unchanged', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, formerSecrets.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id,
      webhook_token_sealed)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u', x'01');
    INSERT INTO env_variables (id, name, type, sealed, secret, created_at, updated_at) VALUES ('e', 'n', 'text', x'02', 1, 1, 1);
    INSERT INTO env_variables (id, name, type, value, secret, created_at, updated_at) VALUES ('o', 'o', 'text', '"open"', 0, 1, 1);
    INSERT INTO step_pins (flow_key, ref_id, value, pinned_at) VALUES (1, 'a', '{"b":1}', 1);
  `)
  migrate(db, MIGRATIONS.slice(0, formerSecrets.version))
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
  db.close()
})
