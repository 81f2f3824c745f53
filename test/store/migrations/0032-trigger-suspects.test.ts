import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { triggerSuspects } from '../../../src/main/store/migrations/0032-trigger-suspects.ts'

it('triggers go on as before, and a suspect is deleted with its trigger', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, triggerSuspects.version - 1))
  db.exec(`
    INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
    VALUES ('f', 'F', '', '[]', 'active', '{}', 1, 1, 1);
    INSERT INTO triggers (flow_key, fingerprint, next_at) SELECT key, 'x', 5 FROM flows;
  `)
  migrate(db, MIGRATIONS.slice(0, triggerSuspects.version))
  const trigger = db.prepare('SELECT fingerprint, next_at, reading FROM triggers').raw().all()
  db.exec(
    `INSERT INTO trigger_suspects (flow_key, item, state, deaths, at) SELECT flow_key, '', 'suspect', 1, 1 FROM triggers`,
  )
  db.exec('DELETE FROM triggers')
  expect([trigger, db.prepare('SELECT count(*) FROM trigger_suspects').pluck().get()]).toEqual([
    [['x', 5, null]],
    0,
  ])
  db.close()
})
