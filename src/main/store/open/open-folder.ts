/** Opens the database of a data folder: creates a missing one, migrates an older one, and rejects an unusable one. */
import type { Message } from '../../../shared/contract/base/message.ts'
import type { Database } from 'better-sqlite3'
import { listBackups, newestGoodBackup, removePartialBackups, takeBackup } from '../backup/backup.ts'
import { createDatabase, isSound, openDatabase, openError } from './database.ts'
import { StoreOpenError } from '../sql/errors.ts'
import { makePrivate, type DataFolder } from '../folder/folder.ts'
import { endedCleanly } from './host-state.ts'
import { inspectFile, type Verdict } from '../folder/inspect-file.ts'
import { migrate, newestVersion, readVersion, type Migration } from '../migrations/migrate.ts'

/** The caller holds the lock on the folder. Throws `StoreOpenError` and changes nothing if the folder is rejected. */
export async function openFolder(
  folder: DataFolder,
  migrations: readonly Migration[],
  now: number,
): Promise<Database> {
  const newest = newestVersion(migrations)
  const verdict = inspect(folder, newest)
  if (verdict.kind === 'absent') makeNew(folder, migrations)
  else if (verdict.kind !== 'good') throw refusal(folder, newest, verdict.kind, verdict.why)
  makePrivate(folder)
  removePartialBackups(folder.backups)
  const db = openDatabase(folder.database)
  try {
    if (verdict.kind === 'good' && !verdict.checked && !endedCleanly(db) && !isSound(db)) {
      throw refusal(folder, newest, 'damaged', 'is damaged')
    }
    if (readVersion(db) < newest) await update(db, folder, migrations, now)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function inspect({ database }: DataFolder, newestVersion: number): Verdict {
  try {
    return inspectFile(database, { newestVersion, check: 'quick' })
  } catch (cause) {
    throw openError(database, cause) // the folder can't even be read
  }
}

/** A folder with backups once had a database; creating a new one would hide the fact that it is missing. */
function makeNew(folder: DataFolder, migrations: readonly Migration[]): void {
  if (listBackups(folder.backups).length > 0) {
    throw refusal(
      folder,
      newestVersion(migrations),
      'damaged',
      'is missing, although there are backups of it',
    )
  }
  createDatabase(folder, migrations)
}

async function update(
  db: Database,
  folder: DataFolder,
  migrations: readonly Migration[],
  now: number,
): Promise<void> {
  try {
    await takeBackup(db, folder.backups, { reason: 'update', now })
    migrate(db, migrations)
  } catch (cause) {
    throw openError(folder.database, cause)
  }
}

function refusal(
  folder: DataFolder,
  newest: number,
  kind: StoreOpenError['kind'],
  why: Message | string,
): StoreOpenError {
  const what = `${folder.database} ${String(why)}. Nothing was changed.`
  if (kind === 'locked') return new StoreOpenError(kind, `${what} Close that program and start again.`)
  const backup = newestGoodBackup(folder.backups, newest)
  const remedy = kind === 'newer' ? 'Update Millrace' : `Move ${folder.dir} away to start over`
  const restore =
    backup === null
      ? 'There is no good backup in it.'
      : `Or restore the newest good backup: millrace restore ${backup}`
  return new StoreOpenError(kind, `${what} ${remedy}. ${restore}`, { backup })
}
