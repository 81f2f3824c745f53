import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { versionNames } from '../../../src/main/store/migrations/0022-version-names.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('existing versions stay, and have no name', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, versionNames.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ada', '', 'admin', 1);
    INSERT INTO flows (id, name, description, tags, status, settings, concurrency, version, created_at, updated_at,
      owner_id)
    VALUES ('f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 1, 'u');
    INSERT INTO flow_versions (flow_key, version, steps, created_at) SELECT key, 1, '[]', 5 FROM flows;
  `)
  migrate(db, MIGRATIONS.slice(0, versionNames.version))
  const row = db.prepare('SELECT version, steps, created_at, name FROM flow_versions').raw().get()
  expect(row).toEqual([1, '[]', 5, ''])
  db.close()
})
