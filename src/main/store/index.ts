/** The store: the one place that knows SQL and the data folder. */
import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import {
  isBackupDue,
  listBackups,
  newestGoodBackup,
  removePartialBackups,
  takeBackup,
  writeBackup,
  type Backup,
} from './backup.ts'
import { createCheckpointer } from './checkpoint.ts'
import { openDataKeys, type DataKeys } from './data-keys.ts'
import { createDatabase, isSound, openDatabase, openError } from './database.ts'
import { StoreOpenError } from './errors.ts'
import { dataFolder, makePrivate, prepareFolder, type DataFolder } from './folder.ts'
import { beginHostState, endedCleanly, endHostState } from './host-state.ts'
import { inspectFile } from './inspect-file.ts'
import { acquireLock, type Lock } from './lock.ts'
import { migrate, newestVersion, readVersion, type Migration } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import type { MasterKey, SecretBox } from './secret-box.ts'
import { createWriter, type Writer } from './write.ts'

export interface OpenStoreOptions {
  readonly dataDir: string
  readonly clock: { now(): number }
  readonly appVersion: string
  /** Absent: nothing can be encrypted, and what was encrypted cannot be read. */
  readonly masterKey?: MasterKey | null
  readonly migrations?: readonly Migration[]
}

export interface Store {
  readonly dataDir: string
  /** Tells this opening of the folder from every other. */
  readonly bootId: string
  /** False where the program was killed or the machine lost power the last time. */
  readonly endedCleanly: boolean
  readonly lock: Pick<Lock, 'publish'>
  readonly secretBox: SecretBox
  readonly dataKeys: Pick<DataKeys, 'exportKeys' | 'importKeys'>
  readonly backups: Backups
  readonly write: Writer['write']
  readonly writeNow: Writer['writeNow']
  /** Commits what is queued, marks the end as a clean one and gives the folder free. */
  readonly close: () => void
}

export interface Backups {
  list(): readonly Backup[]
  /** Takes the daily backup where a day has passed since the last; null where it is not yet due. */
  takeIfDue(): Promise<Backup | null>
  /** Copies the database to a file of the caller's choice. */
  writeTo(path: string): Promise<void>
}

/**
 * Opens the data folder, or makes a new one where there is none. Throws `StoreOpenError` and leaves everything as it
 * is where the folder is in use, cannot be written, or holds a file that is not ours, damaged or too new.
 */
export async function openStore({
  dataDir,
  clock,
  appVersion,
  masterKey = null,
  migrations = MIGRATIONS,
}: OpenStoreOptions): Promise<Store> {
  const folder = dataFolder(dataDir)
  const bootId = randomUUID()
  prepareFolder(folder.dir)
  const lock = acquireLock(folder.lock, bootId)
  try {
    const db = await openChecked(folder, migrations, clock.now())
    try {
      return await assemble({ db, folder, lock, bootId, clock, appVersion, masterKey })
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openChecked(
  folder: DataFolder,
  migrations: readonly Migration[],
  now: number,
): Promise<Database> {
  const newest = newestVersion(migrations)
  const verdict = inspectFile(folder.database, { newestVersion: newest, check: 'quick' })
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

/** A folder with backups once held a database; a fresh one in its place would hide that it is gone. */
function makeNew(folder: DataFolder, migrations: readonly Migration[]): void {
  if (listBackups(folder.backups).length > 0) {
    throw refusal(folder, newestVersion(migrations), 'damaged', 'is missing, though there are backups of it')
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
  why: string,
): StoreOpenError {
  const what = `${folder.database} ${why}. Nothing was changed.`
  if (kind === 'locked') return new StoreOpenError(kind, `${what} Close that program and start again.`)
  const backup = newestGoodBackup(folder.backups, newest)
  const remedy = kind === 'newer' ? 'Update Millrace' : `Move ${folder.dir} away to begin anew`
  const restore =
    backup === null
      ? 'There is no good backup in it.'
      : `Or restore the newest good backup: millrace restore ${backup}`
  return new StoreOpenError(kind, `${what} ${remedy}. ${restore}`, { backup })
}

interface Parts {
  readonly db: Database
  readonly folder: DataFolder
  readonly lock: Lock
  readonly bootId: string
  readonly clock: { now(): number }
  readonly appVersion: string
  readonly masterKey: MasterKey | null
}

async function assemble({ db, folder, lock, bootId, clock, appVersion, masterKey }: Parts): Promise<Store> {
  const wasClean = endedCleanly(db)
  beginHostState(db, { bootId, appVersion, now: clock.now() })
  const dataKeys = await openDataKeys(db, masterKey, clock.now())
  const checkpointer = createCheckpointer(db)
  const writer = createWriter(db, { afterCommit: checkpointer.afterCommit })
  let isOpen = true
  return {
    dataDir: folder.dir,
    bootId,
    endedCleanly: wasClean,
    lock,
    secretBox: dataKeys.box,
    dataKeys,
    backups: {
      list: () => listBackups(folder.backups),
      async takeIfDue() {
        const now = clock.now()
        return isBackupDue(folder.backups, now)
          ? takeBackup(db, folder.backups, { reason: 'daily', now })
          : null
      },
      writeTo: (path) => writeBackup(db, path),
    },
    write: writer.write,
    writeNow: writer.writeNow,
    close() {
      if (!isOpen) return
      isOpen = false
      writer.close()
      endHostState(db)
      db.close()
      lock.release()
    },
  }
}
