import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { runDeaths } from '../../../src/main/store/migrations/0031-run-deaths.ts'

it('waiting runs are kept, and the program has died during none of them', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, runDeaths.version - 1))
  db.exec(`
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
    VALUES ('f', 'F', '', '[]', 'active', '{}', 1, 1, 1);
    INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at, attempt)
    SELECT 7, 'r', key, 1, '', 'manual', 'running', 1, 1 FROM flows;
    INSERT INTO run_queue (run_key, flow_key, state) VALUES (7, 1, 'taken');
  `)
  migrate(db, MIGRATIONS.slice(0, runDeaths.version))
  expect(db.prepare('SELECT run_key, state, deaths FROM run_queue').raw().all()).toEqual([[7, 'taken', 0]])
  db.close()
})
