import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { triggers } from '../../../src/main/store/migrations/0028-triggers.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('schedules are unchanged, and triggers start without findings', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, triggers.version - 1))
  db.exec(`
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
    VALUES ('f', 'F', '', '[]', 'active', '{}', 1, 1, 1);
    INSERT INTO schedules (flow_key, fingerprint, handled_until) SELECT key, 'p', 5 FROM flows;
  `)
  migrate(db, MIGRATIONS.slice(0, triggers.version))
  expect([
    db.prepare('SELECT handled_until FROM schedules').pluck().all(),
    db.prepare('SELECT count(*) FROM triggers').pluck().get(),
    db.prepare('SELECT count(*) FROM trigger_entries').pluck().get(),
  ]).toEqual([[5], 0, 0])
  db.close()
})
