/** The receivers of alarms about flows; those in the settings of flows are stored with the flows. */
import type { Database } from 'better-sqlite3'
import type { AlarmReceiver } from '../../../shared/contract/alarms.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command } from '../sql/statement.ts'

export interface StoredReceiver extends Omit<AlarmReceiver, 'settings_of'> {
  /** The part of a setting with which the receiver can also be read and written; null if there is none. */
  readonly setting: ReceiverSetting | null
}

/** `notification`, `email` and `flow` belong to the setting `alarms`, the others to `event_hook`. */
export type ReceiverSetting = 'notification' | 'email' | 'flow' | 'hook_flow' | 'hook_url'

export type AlarmReceiverRepository = ReturnType<typeof createAlarmReceiverRepository>

export function createAlarmReceiverRepository(db: Database) {
  const records = createRecordMapper<StoredReceiver>(db, {
    email_to: 'labels',
    events: 'labels',
    flow_ids: 'labels',
    created_at: 'time',
    updated_at: 'time',
  })
  const select = `SELECT key, id, kind, email_to, flow_id, url, events, flows, flow_ids, setting, created_at, updated_at
     FROM alarm_receivers`
  const all = records.query(`${select} ORDER BY key`)
  const byId = records.query(`${select} WHERE id = ?`)
  const insert = command(
    db,
    `INSERT INTO alarm_receivers (id, kind, email_to, flow_id, url, events, flows, flow_ids, setting, created_at, updated_at)
     VALUES (@id, @kind, @email_to, @flow_id, @url, @events, @flows, @flow_ids, @setting, @created_at, @updated_at)`,
  )
  const update = command(
    db,
    `UPDATE alarm_receivers SET kind = @kind, email_to = @email_to, flow_id = @flow_id, url = @url, events = @events,
       flows = @flows, flow_ids = @flow_ids, setting = @setting, updated_at = @updated_at
     WHERE id = @id`,
  )
  const remove = command(db, 'DELETE FROM alarm_receivers WHERE id = ?')
  return {
    /** Oldest first. */
    all: (): readonly StoredReceiver[] => all.all(),
    get: (id: string) => byId.get(id),
    insert: (receiver: StoredReceiver) => void insert.run(records.toRow(receiver)),
    update: (receiver: StoredReceiver) => void update.run(records.toRow(receiver)),
    delete: (id: string) => void remove.run(id),
  }
}
