import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { questions } from '../../../src/main/store/migrations/0030-questions.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('runs are unchanged, and a question is deleted with its run', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, questions.version - 1))
  db.exec(`
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
    VALUES ('f', 'F', '', '[]', 'active', '{}', 1, 1, 1);
    INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at, attempt)
    SELECT 7, 'r', key, 1, '', 'manual', 'running', 1, 1 FROM flows;
  `)
  migrate(db, MIGRATIONS.slice(0, questions.version))
  const count = () => db.prepare('SELECT count(*) FROM questions').pluck().get()
  const before = [db.prepare('SELECT id FROM flow_runs').pluck().all(), count()]
  db.exec(`
    INSERT INTO questions (id, run_key, step_key, ref_id, token_hash, sealed, asked_at, expires_at)
    VALUES ('q', 7, '1', 'ask', 'h', x'00', 1, 2);
  `)
  const asked = count()
  db.exec('DELETE FROM flow_runs')
  expect([before, asked, count()]).toEqual([[['r'], 0], 1, 0])
  db.close()
})
