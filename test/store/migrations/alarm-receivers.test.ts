import { expect, it } from 'vitest'
import { rows } from '../../../src/main/store/sql/statement.ts'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

const ALARMS = {
  on_failure: true,
  on_missed: false,
  silent_after_minutes: 90,
  notify: false,
  email_to: ['ada@example.test'],
  flow_id: 'handler',
}

const receiversOf = (db: ReturnType<typeof aDatabase>) =>
  rows<{ readonly id: string; readonly setting: string }>(
    db,
    'SELECT id, kind, email_to, flow_id, url, events, flows, setting FROM alarm_receivers ORDER BY key',
  ).all()

it('the settings of alarms become receivers, and what waits to be sent waits for them', () => {
  const db = aDatabase({ version: 45 })
  const set = db.prepare('INSERT INTO settings (name, value) VALUES (?, ?)')
  set.run('alarms', JSON.stringify(ALARMS))
  set.run('event_hook', JSON.stringify({ events: ['failed'], flow_id: null, url: 'https://x.test/hook' }))
  const flow = db.prepare(
    `INSERT INTO flows (id, name, description, tags, status, settings, version, created_at, updated_at)
     VALUES (?, ?, '', '[]', 'active', ?, 1, 1, 1)`,
  )
  flow.run('plain', 'Plain', JSON.stringify({ alarms: null }))
  flow.run('own', 'Own', JSON.stringify({ alarms: ALARMS }))
  const waiting = db.prepare('INSERT INTO alarms (body, channels, next_at) VALUES (?, ?, 1)')
  waiting.run(JSON.stringify({ flow_id: 'plain' }), JSON.stringify(['email', 'hook_url']))
  waiting.run(JSON.stringify({ flow_id: 'own' }), JSON.stringify(['email', 'hook_url', 'notification']))
  migrateTo(46, db)

  const receivers = receiversOf(db)
  const [email, , url] = receivers.map(({ id }) => id)
  const own = { events: '["failed","silent","recovered"]', flows: 'default' }
  expect({
    receivers: receivers.map(({ id: _id, ...receiver }) => receiver),
    waiting: db.prepare('SELECT channels FROM alarms ORDER BY key').pluck().all(),
    settings: rows(db, 'SELECT name, value FROM settings').all(),
  }).toEqual({
    receivers: [
      { kind: 'email', email_to: '["ada@example.test"]', flow_id: null, url: null, setting: 'email', ...own },
      { kind: 'flow', email_to: '[]', flow_id: 'handler', url: null, setting: 'flow', ...own },
      {
        kind: 'url',
        email_to: '[]',
        flow_id: null,
        url: 'https://x.test/hook',
        events: '["failed"]',
        flows: 'all',
        setting: 'hook_url',
      },
    ],
    waiting: [JSON.stringify([email, url]), JSON.stringify(['own.email', url, 'own.notification'])],
    settings: [
      {
        name: 'alarms',
        value: JSON.stringify({ ...ALARMS, email_to: [], flow_id: null }),
      },
    ],
  })
})

it('without such settings, the app tells of failures, as before', () => {
  const db = aDatabase({ version: 45 })
  migrateTo(46, db)
  expect(receiversOf(db)).toEqual([
    {
      id: expect.any(String),
      kind: 'notification',
      email_to: '[]',
      flow_id: null,
      url: null,
      events: '["failed","silent","recovered"]',
      flows: 'default',
      setting: 'notification',
    },
  ])
})
