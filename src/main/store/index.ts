/** The store: the only place that knows SQL and the data folder. */
import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import {
  type Backup,
  isBackupDue,
  lastBackupElsewhere,
  listBackups,
  noteBackupElsewhere,
  takeBackup,
  writeBackup,
} from './backup/backup.ts'
import { createCheckpointer, databaseSize, type DatabaseSize, isSound, shrink } from './commit/checkpoint.ts'
import { createWriteHealth, createWriter, type Writer } from './commit/group-commit.ts'
import { dataFolder, type DataFolder, prepareFolder } from './folder/folder.ts'
import { acquireLock, type Lock } from './folder/lock.ts'
import { createReserve } from './folder/reserve.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { type Migration, newestVersion } from './migrations/migrate.ts'
import { beginHostState, endedCleanly, endHostState, isUnused, touchHostState } from './open/host-state.ts'
import { isShared } from './open/database.ts'
import { openFolder } from './open/open-folder.ts'
import { checkRestorable } from './open/restore.ts'
import { sealOpenPins } from './records/step-pins.ts'
import { ensureLocalUser } from './records/users.ts'
import { createRepositories, type Repositories } from './repositories.ts'
import { type DataKeys, openDataKeys } from './secrets/data-keys.ts'
import type { MasterKey, SecretBox } from './secrets/secret-box.ts'
import { type JsonCodec, PLAIN_JSON } from './sql/codec.ts'
import { rows, scalar } from './sql/statement.ts'
import { createWriterThread } from './thread/writer-thread.ts'

export { isOpenToOthers } from './folder/access.ts'
export { APPLICATION_ID, databaseFiles } from './folder/inspect-file.ts'
export { makeFolder, syncFolder } from './folder/folder.ts'
export { readLock } from './folder/lock.ts'
export { moveFile, moveFileSync, removeFile, removeFileSync, removeFolder } from './folder/move.ts'
export { removeEmptyFolder, removeOwnEntries } from './folder/own-entries.ts'
export { type StepCounts, toOutcomes } from './history/step-counts.ts'
export type { NewStep, StoredStep } from './history/step-format.ts'
export { moveDataFolder } from './open/move-folder.ts'
export { restoreBackup } from './open/restore.ts'
export { isSealedFile } from './backup/sealed-file.ts'
export type { FiguresQuery } from './records/figures.ts'
export { BUCKET_MS, type CountedFigure, type Figure } from './records/figures.ts'
export type { TallyPart, TallyRow } from './sql/list.ts'
export { addBins, binOf, oneBin, percentile } from './sql/bins.ts'
export type { StoredReceiver } from './records/alarm-receivers.ts'
export type { AlarmState } from './records/alarms.ts'
export type { FailedRun, NewRunParts } from './runs/flow-runs.ts'
export type { FormerSecret } from './runs/former-secrets.ts'
export type { CountedDataTable, DataColumn, DataRow } from './records/data-tables.ts'
export type { StoredAnswer } from './records/idempotency-keys.ts'
export type { ConnectorImage } from './records/connector-images.ts'
export type { ConfirmedPlugin } from './records/plugins.ts'
export type { DeliveryAnswer } from './records/seen-deliveries.ts'
export type { StoredQuestion } from './runs/questions.ts'
export type { StoredPageSession } from './records/page-sessions.ts'
export type { FormerToken, KnownToken } from './records/tokens.ts'
export type { StoredStop } from './runs/breakpoints.ts'
export type { NewHold } from './runs/held-requests.ts'
export { webhookRequestId } from './history/ids.ts'
export type { OriginalRequest, StoredAttempt } from './runs/webhook-attempts.ts'
export type { NewWebhookRequest } from './runs/webhook-requests.ts'
export {
  type MasterKey,
  SecretBoxLockedError,
  type SecretOwner,
  SecretUnreadableError,
} from './secrets/secret-box.ts'
export type { TriggerName } from './records/triggers.ts'
export type { Suspect } from './records/trigger-suspects.ts'
export { MOST_DEATHS } from './runs/recovery.ts'
export { excerptOf, mayContain } from './search/match.ts'
export { StoreOpenError, type StoreOpenErrorKind, StoreWriteError } from './sql/errors.ts'

export interface OpenStoreOptions {
  readonly dataDir: string
  readonly clock: { now(): number }
  readonly appVersion: string
  /** If absent, nothing can be encrypted or decrypted. */
  readonly masterKey?: MasterKey | null
  /** Serializes values of flows and runs; defaults to JavaScript's JSON, which rounds large numbers. */
  readonly json?: JsonCodec
  readonly migrations?: readonly Migration[]
  /** Called once this process has locked the folder, before anything in it is opened; a rejection is passed on. */
  readonly onLocked?: () => Promise<void>
  /** Called when the writer thread has ended by itself; the writes in progress are rejected. */
  readonly onWriterLost?: (error: unknown) => void
}

export interface Store extends Repositories {
  readonly dataDir: string
  /** A new ID each time the folder is opened. */
  readonly bootId: string
  /** False if the program was killed or the machine lost power last time. */
  readonly endedCleanly: boolean
  /** True if this opening created the database; use it to add the initial content for a new user. */
  readonly isNew: boolean
  readonly lock: Pick<Lock, 'publish'>
  readonly secretBox: SecretBox
  readonly dataKeys: Pick<DataKeys, 'exportKeys' | 'importKeys'>
  readonly backups: Backups
  readonly maintenance: Maintenance
  /** Problems that keep the store from working fully; empty if all is well. */
  readonly problems: () => readonly StoreProblem[]
  readonly write: Writer['write']
  readonly append: Writer['append']
  readonly writeNow: Writer['writeNow']
  /** Commits the queue, marks the shutdown as clean and unlocks the folder. */
  readonly close: () => void
}

/** `disk`: writes don't reach the disk. `secrets`: some encrypted values can't be read. */
export type StoreProblem = 'disk' | 'secrets'

export interface Backups {
  list(): readonly Backup[]
  /** The time of the last backup that was written to a path of the user's choice; null if there was none. */
  lastElsewhere(): string | null
  /** Takes the daily backup if a day has passed since the last one; null if it isn't due yet. */
  takeIfDue(): Promise<Backup | null>
  /** Takes a backup before a newer version of the program takes over. */
  takeBeforeUpdate(): Promise<Backup>
  /** Copies the database and the files that belong to it into one file at a path the caller chooses. */
  writeTo(path: string, options?: BackupTarget): Promise<void>
  /** @throws StoreOpenError if that file could not be restored, or not with this passphrase */
  check(path: string, passphrase: string | null): Promise<void>
}

export interface BackupTarget {
  readonly overwrite?: boolean
  /** Seals the backup, and includes the keys to its secrets. */
  readonly passphrase?: string | undefined
}

export interface Maintenance {
  size(): DatabaseSize
  /** Whether the database passes its check; null if it is too large to be checked while in use. */
  isSound(): boolean | null
  /** The number of accepted runs that haven't started, and the time at which the oldest was accepted, in ms. */
  waiting(): { readonly count: number; readonly oldestAt: number | null }
  /** Returns up to this many pages of deleted rows to the disk; true if there are more. */
  shrink(pages: number): boolean
}

/**
 * Opens the data folder, or creates it. Throws `StoreOpenError` and changes nothing if the folder is in use, can't be
 * written, or holds a file that is not ours, damaged or too new.
 */
export async function openStore({
  dataDir,
  clock,
  appVersion,
  masterKey = null,
  json = PLAIN_JSON,
  migrations = MIGRATIONS,
  onLocked,
  onWriterLost = () => {},
}: OpenStoreOptions): Promise<Store> {
  const folder = dataFolder(dataDir)
  const bootId = randomUUID()
  prepareFolder(folder.dir)
  const lock = await acquireLock(folder.lock, bootId)
  try {
    await onLocked?.()
    const db = await openFolder(folder, migrations, clock.now())
    try {
      return await assemble({ db, folder, lock, bootId, clock, appVersion, masterKey, json, onWriterLost })
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

interface Parts {
  readonly db: Database
  readonly folder: DataFolder
  readonly lock: Lock
  readonly bootId: string
  readonly clock: { now(): number }
  readonly appVersion: string
  readonly masterKey: MasterKey | null
  readonly json: JsonCodec
  readonly onWriterLost: (error: unknown) => void
}

async function assemble(parts: Parts): Promise<Store> {
  const { db, folder, lock, bootId, clock, appVersion, masterKey, json, onWriterLost } = parts
  const wasClean = endedCleanly(db)
  const isNew = isUnused(db)
  beginHostState(db, { bootId, appVersion, now: clock.now() })
  ensureLocalUser(db, randomUUID(), clock.now())
  const dataKeys = await openDataKeys(db, masterKey, clock.now())
  sealOpenPins(db, dataKeys.box)
  const checkpointer = createCheckpointer(db)
  const saving = createDelayed(() => void writer.write(() => {}).catch(() => {}), SAVE_COUNTERS_AFTER_MS)
  const { repositories, commitHooks } = createRepositories(db, {
    bootId,
    json,
    box: dataKeys.box,
    dataDir: folder.dir,
    onCount: saving.start,
    endedCleanly: wasClean,
  })
  const reserve = createReserve(folder.reserve)
  const health = createWriteHealth(() => void writer.write(() => touchHostState(db)).catch(() => {}))
  const version = scalar<number>(db, 'PRAGMA data_version')
  const thread = isShared(db)
    ? createWriterThread({
        database: folder.database,
        dataDir: folder.dir,
        keys: () => dataKeys.exportKeys(),
        version: () => version.get() ?? 0,
        onLost: onWriterLost,
      })
    : null
  const writer = createWriter(db, {
    thread,
    hooks: [...commitHooks, health.commitHook],
    space: {
      isShort: reserve.isShort,
      noteFailure() {
        health.noteFailure()
        reserve.noteFailure()
      },
      clearLog: checkpointer.move,
    },
    afterCommit() {
      if (checkpointer.isDue() && thread?.moveLog() !== true) checkpointer.move()
    },
  })
  let isOpen = true
  return {
    dataDir: folder.dir,
    bootId,
    endedCleanly: wasClean,
    isNew,
    lock,
    secretBox: dataKeys.box,
    dataKeys: {
      exportKeys: () => dataKeys.exportKeys(),
      importKeys: (keys, now) =>
        writer.withoutThread(async () => {
          await dataKeys.importKeys(keys, now)
          // The next writer thread will seal with the new key.
          thread?.close()
        }),
    },
    ...repositories,
    backups: {
      list: () => listBackups(folder.backups),
      lastElsewhere: () => lastBackupElsewhere(folder.backups),
      async takeIfDue() {
        const now = clock.now()
        return isBackupDue(folder.backups, now)
          ? writer.withoutThread(() => takeBackup(db, folder.backups, { reason: 'daily', now }))
          : null
      },
      takeBeforeUpdate: () =>
        writer.withoutThread(() => takeBackup(db, folder.backups, { reason: 'update', now: clock.now() })),
      async writeTo(path, { overwrite = false, passphrase } = {}) {
        await writer.withoutThread(() =>
          writeBackup(db, path, {
            dataDir: folder.dir,
            overwrite,
            sealing:
              passphrase === undefined
                ? undefined
                : { passphrase, keys: dataKeys.exportKeys(), workDir: folder.backups },
          }),
        )
        noteBackupElsewhere(folder.backups, clock.now())
      },
      check: (path, passphrase) => checkRestorable(path, passphrase, newestVersion(MIGRATIONS)),
    },
    maintenance: {
      size: () => databaseSize(db, folder.database),
      isSound: () => isSound(db),
      waiting: () => waitingRuns(db),
      shrink(pages) {
        const isMore = writer.nowWithoutThread(() => shrink(db, pages))
        checkpointer.afterCommit()
        return isMore
      },
    },
    problems() {
      const problems: StoreProblem[] = []
      if (!health.isWell() || reserve.isShort()) problems.push('disk')
      if (dataKeys.box.locked || dataKeys.box.hasUnreadable) problems.push('secrets')
      return problems
    },
    write: writer.write,
    append: writer.append,
    writeNow: writer.writeNow,
    close() {
      if (!isOpen) return
      isOpen = false
      saving.cancel()
      health.close()
      reserve.close()
      writer.close()
      endHostState(db)
      db.close()
      lock.release()
    },
  }
}

function waitingRuns(db: Database): { readonly count: number; readonly oldestAt: number | null } {
  const waiting = rows<{ count: number; oldest: number | null }>(
    db,
    "SELECT count(*) AS count, min(created_at) AS oldest FROM flow_runs WHERE status = 'queued'",
  ).get()
  return { count: waiting?.count ?? 0, oldestAt: waiting?.oldest ?? null }
}

/** Counters in memory are saved with the next commit, or on their own if none happens within this time. */
const SAVE_COUNTERS_AFTER_MS = 1_000

function createDelayed(
  work: () => void,
  afterMs: number,
): { readonly start: () => void; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | null = null
  return {
    start() {
      timer ??= setTimeout(() => {
        timer = null
        work()
      }, afterMs).unref()
    },
    cancel() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}
