import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('an older database has seen no delivery', () => {
  const db = aDatabase({ version: 7 })
  migrateTo(8, db)
  expect(db.prepare('SELECT count(*) FROM seen_deliveries').pluck().get()).toBe(0)
})

it('existing runs wait to be indexed, and none of them is missed', () => {
  const db = aDatabase({ version: 12 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'draft', '{}', 1, 1, 1, 'u');
    INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at, attempt)
    VALUES (7, 'r', 1, 1, 'Order', 'manual', 'success', 1, 1);
  `)
  migrateTo(13, db)
  const one = (sql: string) => db.prepare(sql).pluck().get()
  const before = [one('SELECT indexed_to FROM run_search_state'), one('SELECT count(*) FROM run_search')]
  db.exec('INSERT INTO run_search_waiting (run_key) VALUES (7)')
  db.exec('DELETE FROM flow_runs')
  expect({ before, waiting: one('SELECT count(*) FROM run_search_waiting') }).toEqual({
    before: [0, 0],
    waiting: 0,
  })
  expect(db.pragma('user_version', { simple: true })).toBe(13)
})

it('keeps the waiting runs, and reads them flow by flow without a scan', () => {
  const db = aDatabase({ version: 19 })
  db.exec(`
    INSERT INTO users (id, name, email, role, created_at) VALUES ('u', 'Ann', '', 'owner', 1);
    INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at, owner_id)
    VALUES (1, 'f', 'Orders', '', '[]', 'active', '{}', 1, 1, 1, 'u');
    INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at, attempt)
    VALUES (7, 'r', 1, 1, 'Order', 'webhook', 'queued', 1, 1);
    INSERT INTO run_queue (run_key, flow_key, state) VALUES (7, 1, 'ready');
  `)
  migrateTo(20, db)
  const oldest = `SELECT min(run_key) FROM run_queue WHERE state = 'ready' AND flow_key = 1`
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${oldest}`).raw().all().flat().join(' ')
  expect([db.prepare(oldest).pluck().get(), plan]).toEqual([7, expect.stringContaining('run_queue_by_flow')])
})

it('keeps the requests, and from then on stores bodies that are deleted with them', () => {
  const db = aDatabase({ version: 22 })
  db.exec(`
    INSERT INTO webhook_requests (key, id, at, status, method, path, size, client, has_run, duration_ms)
    VALUES (7, 'q', 1, 400, 'POST', '/', 3, '127.0.0.1', 0, 1);
  `)
  migrateTo(23, db)
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  db.exec(`INSERT INTO rejected_bodies (request_key, size, sealed) VALUES (7, 3, x'010203')`)
  const before = [count('webhook_requests'), count('rejected_bodies')]
  db.exec('DELETE FROM webhook_requests')
  expect([before, count('rejected_bodies')]).toEqual([[1, 1], 0])
})

it('runs are unchanged, and a question is deleted with its run', () => {
  const db = aDatabase({ version: 29 })
  db.exec(`
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
    VALUES ('f', 'F', '', '[]', 'active', '{}', 1, 1, 1);
    INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at, attempt)
    SELECT 7, 'r', key, 1, '', 'manual', 'running', 1, 1 FROM flows;
  `)
  migrateTo(30, db)
  const count = () => db.prepare('SELECT count(*) FROM questions').pluck().get()
  const before = [db.prepare('SELECT id FROM flow_runs').pluck().all(), count()]
  db.exec(`
    INSERT INTO questions (id, run_key, step_key, ref_id, token_hash, sealed, asked_at, expires_at)
    VALUES ('q', 7, '1', 'ask', 'h', x'00', 1, 2);
  `)
  const asked = count()
  db.exec('DELETE FROM flow_runs')
  expect([before, asked, count()]).toEqual([[['r'], 0], 1, 0])
})

it('waiting runs are kept, and the program has died during none of them', () => {
  const db = aDatabase({ version: 30 })
  db.exec(`
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
    VALUES ('f', 'F', '', '[]', 'active', '{}', 1, 1, 1);
    INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at, attempt)
    SELECT 7, 'r', key, 1, '', 'manual', 'running', 1, 1 FROM flows;
    INSERT INTO run_queue (run_key, flow_key, state) VALUES (7, 1, 'taken');
  `)
  migrateTo(31, db)
  expect(db.prepare('SELECT run_key, state, deaths FROM run_queue').raw().all()).toEqual([[7, 'taken', 0]])
})

it('runs of flows that anyone can start are known, but not those started otherwise', () => {
  const db = aDatabase({ version: 32 })
  const flow = db.prepare(
    `INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
     VALUES (?, 'F', '', '[]', 'active', ?, 1, 1, 1)`,
  )
  flow.run('open', '{"webhook_token_enabled":false}')
  flow.run('closed', '{"webhook_token_enabled":true}')
  const run = db.prepare(
    `INSERT INTO flow_runs (key, id, flow_key, flow_version, title, "trigger", status, created_at, attempt)
     SELECT ?, ?, key, 1, '', ?, 'success', 1, 1 FROM flows WHERE id = ?`,
  )
  run.run(1, 'a', 'webhook', 'open')
  run.run(2, 'b', 'manual', 'open')
  run.run(3, 'c', 'webhook', 'closed')
  migrateTo(33, db)
  const rows = db.prepare('SELECT id, from_anyone FROM flow_runs ORDER BY key').raw().all()
  expect(rows).toEqual([
    ['a', 1],
    ['b', 0],
    ['c', 0],
  ])
})
