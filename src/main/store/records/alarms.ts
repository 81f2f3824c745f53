/** The alarms that flows have had, and those that have yet to be sent. Times in milliseconds since 1970. */
import type { TroubleKind } from '../../../shared/contract/alarms.ts'
import type { Database } from 'better-sqlite3'
import { createRecordMapper } from '../sql/records.ts'
import { command, scalar } from '../sql/statement.ts'

export interface AlarmState {
  /** The kind of the latest event; null if there was none. */
  readonly kind: TroubleKind | null
  /** Whether the reported event still applies. */
  readonly isOpen: boolean
  /** Whether the latest alarm reported a problem. */
  readonly toldOpen: boolean
  readonly toldAt: number | null
  /** Events since that alarm. */
  readonly heldBack: number
  readonly runId: string | null
  readonly message: string | null
  readonly lastRunAt: number | null
  /** The total time that Millrace was off since the last run, in milliseconds. */
  readonly offMs: number
}

export interface WaitingAlarm {
  readonly id: number
  readonly body: unknown
  /** IDs of the receivers that haven't got it yet. */
  readonly channels: readonly string[]
  readonly attempts: number
}

export type AlarmRepository = ReturnType<typeof createAlarmRepository>

export function createAlarmRepository(db: Database) {
  const states = createRecordMapper<AlarmState>(db, { isOpen: 'flag', toldOpen: 'flag' })
  const stateOf = states.query(
    `SELECT kind, is_open AS isOpen, told_open AS toldOpen, told_at AS toldAt, held_back AS heldBack, run_id AS runId,
       message, last_run_at AS lastRunAt, off_ms AS offMs
     FROM alarm_states s JOIN flows f ON f.key = s.flow_key WHERE f.id = ? AND f.deleted_at IS NULL`,
  )
  const saveState = command(
    db,
    `INSERT INTO alarm_states (flow_key, kind, is_open, told_open, told_at, held_back, run_id, message, last_run_at, off_ms)
     SELECT key, @kind, @isOpen, @toldOpen, @toldAt, @heldBack, @runId, @message, @lastRunAt, @offMs
     FROM flows WHERE id = @flowId AND deleted_at IS NULL
     ON CONFLICT (flow_key) DO UPDATE SET kind = excluded.kind, is_open = excluded.is_open,
       told_open = excluded.told_open, told_at = excluded.told_at, held_back = excluded.held_back,
       run_id = excluded.run_id, message = excluded.message, last_run_at = excluded.last_run_at,
       off_ms = excluded.off_ms`,
  )
  const unsettled = scalar<string>(
    db,
    `SELECT f.id FROM alarm_states s JOIN flows f ON f.key = s.flow_key
     WHERE f.deleted_at IS NULL AND (s.is_open = 1 OR s.told_open = 1 OR s.held_back > 0)`,
  )
  const insert = command(db, 'INSERT INTO alarms (body, channels, next_at) VALUES (?, ?, ?)')
  const due = createRecordMapper<WaitingAlarm>(db, { body: 'json', channels: 'labels' }).query(
    'SELECT key AS id, body, channels, attempts FROM alarms WHERE next_at <= ? ORDER BY next_at, key LIMIT 100',
  )
  const nextAt = scalar<number | null>(db, 'SELECT min(next_at) FROM alarms')
  const remove = command(db, 'DELETE FROM alarms WHERE key = ?')
  const keep = command(db, 'UPDATE alarms SET channels = ?, attempts = ?, next_at = ? WHERE key = ?')
  const aliveAt = scalar<number>(db, 'SELECT alive_at FROM alarm_clock')
  const noteAlive = command(
    db,
    `INSERT INTO alarm_clock (only_row, alive_at) VALUES (1, ?)
     ON CONFLICT (only_row) DO UPDATE SET alive_at = excluded.alive_at`,
  )
  return {
    state: (flowId: string) => stateOf.get(flowId),
    saveState: (flowId: string, state: AlarmState) => void saveState.run({ flowId, ...states.toRow(state) }),
    /** IDs of flows that still have something to report. */
    unsettled: (): readonly string[] => unsettled.all(),
    add: ({
      body,
      channels,
      at,
    }: {
      readonly body: unknown
      readonly channels: readonly string[]
      readonly at: number
    }) => void insert.run(JSON.stringify(body), JSON.stringify(channels), at),
    /** Alarms to send now, oldest first. */
    due: (now: number): readonly WaitingAlarm[] => due.all(now),
    /** The time to send the next alarm; null if there is none. */
    nextAt: () => nextAt.get() ?? null,
    /** Keeps the alarm for the channels that remain; deletes it if there are none. */
    keep(
      id: number,
      {
        channels,
        attempts,
        at,
      }: { readonly channels: readonly string[]; readonly attempts: number; readonly at: number },
    ): void {
      if (channels.length === 0) remove.run(id)
      else keep.run(JSON.stringify(channels), attempts, at, id)
    },
    /** The time at which the program was last known to be running; null if unknown. */
    aliveAt: () => aliveAt.get() ?? null,
    noteAlive: (at: number) => void noteAlive.run(at),
  }
}
