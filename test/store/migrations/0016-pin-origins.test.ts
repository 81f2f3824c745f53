import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { pinOrigins } from '../../../src/main/store/migrations/0016-pin-origins.ts'

it('author and origin of existing pins are unknown', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, pinOrigins.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u');
    INSERT INTO step_pins (flow_key, ref_id, value, pinned_at) VALUES (1, 'a', '7', 5);
  `)
  migrate(db, MIGRATIONS.slice(0, pinOrigins.version))
  const pins = db
    .prepare('SELECT json_array(ref_id, value, pinned_at, author_id, flow_run_id) FROM step_pins')
    .pluck()
  expect(pins.all()).toEqual(['["a","7",5,null,null]'])
  db.close()
})
