/** Records in the database whether it was closed properly. */
import type { Database } from 'better-sqlite3'
import { writeErrorKind } from '../sql/errors.ts'
import { command, scalar } from '../sql/statement.ts'

export interface HostState {
  readonly bootId: string
  readonly appVersion: string
  readonly now: number
}

/** Whether the database was closed properly last time; true for a new one. */
export function endedCleanly(db: Database): boolean {
  return scalar<number>(db, 'SELECT ended_cleanly FROM host_state').get() !== 0
}

/** Whether this database has never been used. */
export function isUnused(db: Database): boolean {
  return scalar<number>(db, 'SELECT count(*) FROM host_state').get() === 0
}

/** Marks the database as in use. */
export function beginHostState(db: Database, { bootId, appVersion, now }: HostState): void {
  const mark = command(
    db,
    `INSERT INTO host_state (only_row, ended_cleanly, boot_id, app_version, opened_at) VALUES (1, 0, ?, ?, ?)
     ON CONFLICT (only_row) DO UPDATE SET
       ended_cleanly = 0, boot_id = excluded.boot_id, app_version = excluded.app_version, opened_at = excluded.opened_at`,
  )
  unlessDiskFails(() => mark.run(bootId, appVersion, now))
}

/** Writes without changing anything, to see whether the disk accepts it. */
export function touchHostState(db: Database): void {
  command(db, 'UPDATE host_state SET opened_at = opened_at').run()
}

export function endHostState(db: Database): void {
  unlessDiskFails(() => command(db, 'UPDATE host_state SET ended_cleanly = 1').run())
}

/** On a full disk, Millrace still starts, reads and deletes; the mark only decides whether an extra check runs. */
function unlessDiskFails(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (writeErrorKind(error) === null) throw error
  }
}
