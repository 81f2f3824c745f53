import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { runsFromAnyone } from '../../../src/main/store/migrations/0033-runs-from-anyone.ts'

it('runs of flows that anyone can start are known, but not those started otherwise', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, runsFromAnyone.version - 1))
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
  migrate(db, MIGRATIONS.slice(0, runsFromAnyone.version))
  const rows = db.prepare('SELECT id, from_anyone FROM flow_runs ORDER BY key').raw().all()
  expect(rows).toEqual([
    ['a', 1],
    ['b', 0],
    ['c', 0],
  ])
  db.close()
})
