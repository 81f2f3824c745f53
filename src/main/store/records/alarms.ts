/** The alarms that flows have had, and those that have yet to be sent. Times in milliseconds since 1970. */
import type { TroubleKind } from '../../../shared/contract/alarms.ts'
import type { Database } from 'better-sqlite3'
import { command, rows, scalar } from '../sql/statement.ts'

export interface AlarmState {
  /** Of the latest event; null if there was none. */
  readonly kind: TroubleKind | null
  /** Whether its message is still true. */
  readonly isOpen: boolean
  /** Whether the latest alarm said that something is wrong. */
  readonly toldOpen: boolean
  readonly toldAt: number | null
  /** Events since then. */
  readonly heldBack: number
  readonly runId: string | null
  readonly message: string | null
  readonly lastRunAt: number | null
  /** Milliseconds since the last run in which the program was off. */
  readonly offMs: number
}

export interface WaitingAlarm {
  readonly key: number
  readonly body: unknown
  /** Those that have yet to get it. */
  readonly channels: readonly string[]
  readonly attempts: number
}

export interface AlarmRepository {
  state(flowId: string): AlarmState | null
  saveState(flowId: string, state: AlarmState): void
  /** IDs of flows that still have something to report. */
  unsettled(): readonly string[]
  add(alarm: { readonly body: unknown; readonly channels: readonly string[]; readonly at: number }): void
  /** Those to be sent now, oldest first. */
  due(now: number): readonly WaitingAlarm[]
  /** When the next one is to be sent; null if there is none. */
  nextAt(): number | null
  /** Channels that remain; without any, the alarm is done. */
  keep(
    key: number,
    rest: { readonly channels: readonly string[]; readonly attempts: number; readonly at: number },
  ): void
  /** When the program was last known to run; null if unknown. */
  aliveAt(): number | null
  noteAlive(at: number): void
}

interface StateRow {
  readonly kind: AlarmState['kind']
  readonly is_open: number
  readonly told_open: number
  readonly told_at: number | null
  readonly held_back: number
  readonly run_id: string | null
  readonly message: string | null
  readonly last_run_at: number | null
  readonly off_ms: number
}

export function createAlarmRepository(db: Database): AlarmRepository {
  const stateOf = rows<StateRow>(
    db,
    `SELECT s.* FROM alarm_states s JOIN flows f ON f.key = s.flow_key WHERE f.id = ? AND f.deleted_at IS NULL`,
  )
  const saveState = command(
    db,
    `INSERT INTO alarm_states (flow_key, kind, is_open, told_open, told_at, held_back, run_id, message, last_run_at, off_ms)
     SELECT key, @kind, @is_open, @told_open, @told_at, @held_back, @run_id, @message, @last_run_at, @off_ms
     FROM flows WHERE id = @flow_id AND deleted_at IS NULL
     ON CONFLICT (flow_key) DO UPDATE SET kind = excluded.kind, is_open = excluded.is_open,
       told_open = excluded.told_open, told_at = excluded.told_at, held_back = excluded.held_back,
       run_id = excluded.run_id, message = excluded.message, last_run_at = excluded.last_run_at,
       off_ms = excluded.off_ms`,
  )
  const unsettled = rows<{ id: string }>(
    db,
    `SELECT f.id FROM alarm_states s JOIN flows f ON f.key = s.flow_key
     WHERE f.deleted_at IS NULL AND (s.is_open = 1 OR s.told_open = 1 OR s.held_back > 0)`,
  )
  const insert = command(db, 'INSERT INTO alarms (body, channels, next_at) VALUES (?, ?, ?)')
  const due = rows<{ key: number; body: string; channels: string; attempts: number }>(
    db,
    'SELECT key, body, channels, attempts FROM alarms WHERE next_at <= ? ORDER BY next_at, key LIMIT 100',
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
    state(flowId) {
      const row = stateOf.get(flowId)
      return row === undefined ? null : toState(row)
    },
    saveState: (flowId, state) =>
      void saveState.run({
        flow_id: flowId,
        kind: state.kind,
        is_open: Number(state.isOpen),
        told_open: Number(state.toldOpen),
        told_at: state.toldAt,
        held_back: state.heldBack,
        run_id: state.runId,
        message: state.message,
        last_run_at: state.lastRunAt,
        off_ms: state.offMs,
      }),
    unsettled: () => unsettled.all().map(({ id }) => id),
    add: ({ body, channels, at }) => void insert.run(JSON.stringify(body), JSON.stringify(channels), at),
    due: (now) =>
      due.all(now).map(({ body, channels, ...row }) => ({
        ...row,
        body: JSON.parse(body) as unknown,
        channels: JSON.parse(channels) as string[],
      })),
    nextAt: () => nextAt.get() ?? null,
    keep(key, { channels, attempts, at }) {
      if (channels.length === 0) remove.run(key)
      else keep.run(JSON.stringify(channels), attempts, at, key)
    },
    aliveAt: () => aliveAt.get() ?? null,
    noteAlive: (at) => void noteAlive.run(at),
  }
}

function toState(row: StateRow): AlarmState {
  return {
    kind: row.kind,
    isOpen: row.is_open === 1,
    toldOpen: row.told_open === 1,
    toldAt: row.told_at,
    heldBack: row.held_back,
    runId: row.run_id,
    message: row.message,
    lastRunAt: row.last_run_at,
    offMs: row.off_ms,
  }
}
