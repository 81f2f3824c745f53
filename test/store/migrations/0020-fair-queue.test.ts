import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { fairQueue } from '../../../src/main/store/migrations/0020-fair-queue.ts'

it('keeps the waiting runs, and reads them flow by flow without a scan', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, fairQueue.version - 1))
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'active', '{}', 1, 1, 1, 'u');
    INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at, attempt)
    VALUES (7, 'r', 1, 1, 'Order', 'webhook', 'queued', 1, 1);
    INSERT INTO run_queue (run_key, flow_key, state) VALUES (7, 1, 'ready');
  `)
  migrate(db, MIGRATIONS.slice(0, fairQueue.version))
  const oldest = `SELECT min(run_key) FROM run_queue WHERE state = 'ready' AND flow_key = 1`
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${oldest}`).raw().all().flat().join(' ')
  expect([db.prepare(oldest).pluck().get(), plan]).toEqual([7, expect.stringContaining('run_queue_by_flow')])
  db.close()
})
