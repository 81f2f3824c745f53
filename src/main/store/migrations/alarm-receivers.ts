import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { rows } from '../sql/statement.ts'
import type { Migration } from './migrate.ts'

/** The settings `alarms` and `event_hook` become receivers; alarms that wait for a channel wait for its receiver. */
export const alarmReceivers: Migration = {
  version: 46,
  name: 'receivers of alarms',
  up(db) {
    db.exec(`
      CREATE TABLE alarm_receivers (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        -- What it is told by, of its kind.
        email_to TEXT NOT NULL,
        flow_id TEXT,
        url TEXT,
        events TEXT NOT NULL,
        -- Whose events: all, default or chosen.
        flows TEXT NOT NULL,
        flow_ids TEXT NOT NULL,
        -- The part of an earlier setting that it is read and written as well by.
        setting TEXT UNIQUE,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      ) STRICT;
    `)
    const ids = addReceivers(db)
    moveWaiting(db, ids)
    db.exec(`
      DELETE FROM settings WHERE name = 'event_hook';
      UPDATE settings SET value = json_set(value, '$.notify', json('false'), '$.email_to', json('[]'), '$.flow_id', null)
      WHERE name = 'alarms';
    `)
  },
}

/** @returns the IDs of the receivers, by their former channel */
function addReceivers(db: Database): Readonly<Record<string, string>> {
  const settings = Object.fromEntries(
    rows<{ name: string; value: string }>(
      db,
      "SELECT name, value FROM settings WHERE name IN ('alarms', 'event_hook')",
    )
      .all()
      .map(({ name, value }) => [name, JSON.parse(value) as unknown]),
  )
  const alarms = (settings['alarms'] ?? DEFAULTS) as Alarms
  const hook = (settings['event_hook'] ?? null) as Hook | null
  const ids: Record<string, string> = {}
  const insert = db.prepare(
    `INSERT INTO alarm_receivers (id, kind, email_to, flow_id, url, events, flows, flow_ids, setting, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, '[]', ?, @at, @at)`,
  )
  const add = ({ setting, kind, emailTo = [], flowId = null, url = null, events, flows }: Added) => {
    ids[setting] = randomUUID()
    const [mails, heard] = [JSON.stringify(emailTo), JSON.stringify(events)]
    insert.run(ids[setting], kind, mails, flowId, url, heard, flows, setting, { at: Date.now() })
  }
  const own = {
    flows: 'default',
    events: [
      ...(alarms.on_failure ? ['failed'] : []),
      'silent',
      ...(alarms.on_missed ? ['missed'] : []),
      'recovered',
    ],
  }
  if (alarms.notify) add({ setting: 'notification', kind: 'notification', ...own })
  if (alarms.email_to.length > 0) add({ setting: 'email', kind: 'email', emailTo: alarms.email_to, ...own })
  if (alarms.flow_id !== null) add({ setting: 'flow', kind: 'flow', flowId: alarms.flow_id, ...own })
  const ofAll = { flows: 'all', events: hook?.events ?? [] }
  if (hook?.flow_id) add({ setting: 'hook_flow', kind: 'flow', flowId: hook.flow_id, ...ofAll })
  if (hook?.url) add({ setting: 'hook_url', kind: 'url', url: hook.url, ...ofAll })
  return ids
}

interface Alarms {
  readonly on_failure: boolean
  readonly on_missed: boolean
  readonly notify: boolean
  readonly email_to: readonly string[]
  readonly flow_id: string | null
}

interface Hook {
  readonly events: readonly string[]
  readonly flow_id: string | null
  readonly url: string | null
}

interface Added {
  readonly setting: string
  readonly kind: string
  readonly emailTo?: readonly string[]
  readonly flowId?: string | null
  readonly url?: string | null
  readonly events: readonly string[]
  readonly flows: string
}

/** The defaults of version 45. */
const DEFAULTS: Alarms = { on_failure: true, on_missed: false, notify: true, email_to: [], flow_id: null }

function moveWaiting(db: Database, ids: Readonly<Record<string, string>>): void {
  const waiting = rows<{ key: number; channels: string; flowId: string | null; isOwn: number }>(
    db,
    `SELECT a.key, a.channels, f.id AS flowId, json_extract(f.settings, '$.alarms') IS NOT NULL AS isOwn
     FROM alarms a LEFT JOIN flows f ON f.id = json_extract(a.body, '$.flow_id')`,
  )
  const update = db.prepare('UPDATE alarms SET channels = ? WHERE key = ?')
  for (const { key, channels, flowId, isOwn } of waiting.all()) {
    const names = JSON.parse(channels) as readonly string[]
    const receivers = names.flatMap((name) =>
      isOwn === 1 && !name.startsWith('hook_') ? [`${flowId}.${name}`] : (ids[name] ?? []),
    )
    update.run(JSON.stringify(receivers), key)
  }
}
