import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { stepAuthors } from '../../../src/main/store/migrations/0014-step-authors.ts'

it('existing steps count as written by the owner of their flow', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, stepAuthors.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u');
    INSERT INTO flow_versions (flow_key, version, steps, created_at) VALUES (1, 1, '[]', 1);
    INSERT INTO working_copies (flow_key, steps, updated_at) VALUES (1, '[]', 1);
  `)
  migrate(db, MIGRATIONS.slice(0, stepAuthors.version))
  const authors = ['flow_versions', 'working_copies'].map((table) =>
    db.prepare(`SELECT author_id FROM ${table}`).pluck().get(),
  )
  expect(authors).toEqual([null, null])
  db.close()
})
