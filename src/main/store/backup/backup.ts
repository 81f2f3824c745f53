/** Copies the database to `backups/` while Millrace runs, and checks, prunes and finds these backups. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { syncFile, syncFolder } from '../folder/folder.ts'
import { databaseFiles, inspectFile } from '../folder/inspect-file.ts'
import { moveFile, removeFile, removeFileSync } from '../folder/move.ts'
import { connect, syncPragmas } from '../sql/connect.ts'
import { packFiles } from './backup-files.ts'
import { sealFile, type Sealing } from './sealed-file.ts'

export interface Backup {
  readonly path: string
  readonly created_at: string
  readonly reason: BackupReason
  readonly bytes: number
}

/** `update`: taken before a newer version of Millrace changes the schema. */
export type BackupReason = 'daily' | 'update'

const KEPT: Readonly<Record<BackupReason, number>> = { daily: 7, update: 3 }
const DAY_MS = 24 * 60 * 60 * 1_000
const NAME = /^millrace-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)-(daily|update)\.db$/
const PARTIAL = '.partial'

/** Takes a backup into the folder and deletes those beyond the number to keep. Throws if the backup is not sound. */
export async function takeBackup(
  db: Database,
  dir: string,
  { reason, now }: { readonly reason: BackupReason; readonly now: number },
): Promise<Backup> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const created_at = new Date(now).toISOString()
  const path = join(dir, `millrace-${created_at.replaceAll(/[:.]/g, '-')}-${reason}.db`)
  await writeBackup(db, path, { overwrite: true })
  const sameReason = listBackups(dir).filter((backup) => backup.reason === reason)
  for (const { path } of sameReason.slice(KEPT[reason])) await removeFile(path)
  return { path, created_at, reason, bytes: statSync(path).size }
}

interface BackupOptions {
  /** The data folder whose files are included; null includes only the database. */
  readonly dataDir?: string | null
  /** Replaces an existing file of that name, once the copy is complete, checked and synced. */
  readonly overwrite?: boolean
  /** Seals the copy, which is first made in the folder `workDir`, so that no unsealed copy is ever on another disk. */
  readonly sealing?: (Sealing & { readonly workDir: string }) | undefined
}

/** Copies the database to any path. Throws `EEXIST` if the target exists and must not be replaced. */
export async function writeBackup(
  db: Database,
  path: string,
  { dataDir = null, overwrite = false, sealing }: BackupOptions = {},
): Promise<void> {
  // A random name that no existing file can have, because such a file would be overwritten.
  const ending = `${randomBytes(6).toString('hex')}${PARTIAL}`
  const partial = `${path}.${ending}`
  const copy = sealing === undefined ? partial : join(sealing.workDir, ending)
  try {
    closeSync(openSync(partial, 'wx', 0o600))
    if (sealing !== undefined) {
      mkdirSync(sealing.workDir, { recursive: true, mode: 0o700 })
      closeSync(openSync(copy, 'wx', 0o600))
    }
    await db.backup(copy)
    if (dataDir !== null) await packFiles(copy, dataDir)
    await finishCopy(copy)
    if (sealing !== undefined) await sealFile(copy, partial, sealing)
    // The copy was made on a separate connection, without `syncPragmas`.
    syncFile(partial)
    if (overwrite) await moveFile(partial, path)
    else await placeNew(partial, path)
    syncFolder(dirname(path))
  } finally {
    for (const part of new Set([partial, copy].flatMap(databaseFiles))) await removeFile(part)
  }
}

/** Gives a file its final name unless that name is taken; a rename would replace the existing file. */
async function placeNew(partial: string, path: string): Promise<void> {
  try {
    linkSync(partial, path)
  } catch (error) {
    // On file systems without hard links, the check and the rename are two separate steps.
    if (!CANNOT_LINK.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    closeSync(openSync(path, 'wx', 0o600))
    await moveFile(partial, path)
  }
}

const CANNOT_LINK: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EXDEV',
])

/** Every finished backup, newest first. */
export function listBackups(dir: string): Backup[] {
  return namesIn(dir)
    .flatMap((name) => {
      const [, stamp, reason] = NAME.exec(name) ?? []
      if (stamp === undefined) return []
      const path = join(dir, name)
      const created_at = stamp.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/, 'T$1:$2:$3.$4Z')
      return [{ path, created_at, reason: reason as BackupReason, bytes: statSync(path).size }]
    })
    .sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
}

/** Records that a backup was written to a path that the user chose, where it isn't listed. */
export function noteBackupElsewhere(dir: string, now: number): void {
  try {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, ELSEWHERE), new Date(now).toISOString())
  } catch {
    // The backup itself was written.
  }
}

/** The time of the last backup that was written elsewhere, as text; null if there was none. */
export function lastBackupElsewhere(dir: string): string | null {
  try {
    const at = readFileSync(join(dir, ELSEWHERE), 'utf8').trim()
    return Number.isNaN(Date.parse(at)) ? null : at
  } catch {
    return null
  }
}

const ELSEWHERE = 'last-backup-elsewhere'

/** True a day after the newest daily backup; setting the clock back doesn't delay it. */
export function isBackupDue(dir: string, now: number): boolean {
  const newest = listBackups(dir).find((backup) => backup.reason === 'daily')
  return newest === undefined || Math.abs(now - Date.parse(newest.created_at)) >= DAY_MS
}

/** The newest backup that this build can open, checked again. */
export function newestGoodBackup(dir: string, newestVersion: number): string | null {
  const good = listBackups(dir).find(
    ({ path }) => inspectFile(path, { newestVersion, check: 'full' }).kind === 'good',
  )
  return good?.path ?? null
}

/** Removes the unfinished files that a killed process left behind. */
export function removePartialBackups(dir: string): void {
  for (const name of namesIn(dir)) {
    if (name.includes(PARTIAL)) removeFileSync(join(dir, basename(name)))
  }
}

function namesIn(dir: string): string[] {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(dir) : []
}

/**
 * Makes a fresh copy one self-contained file and checks it completely, on a separate thread so that a large copy
 * doesn't block the program. Throws if the copy is not sound.
 */
async function finishCopy(path: string): Promise<void> {
  const verdict = await finishOnThread(path).catch(() => finishHere(path))
  if (verdict !== 'ok') throw new Error(`${path} is damaged: ${String(verdict).slice(0, 200)}`)
}

function finishOnThread(path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const driver = createRequire(import.meta.url).resolve('better-sqlite3')
    const worker = new Worker(SCRIPT, { eval: true, workerData: { driver, path, pragmas: finishPragmas() } })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`The check of ${path} ended early with code ${code}`)))
  })
}

/**
 * The same as `finishHere`, as a string, because a thread starts from a file, and Millrace ships as a single bundle.
 */
const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads')
const Database = require(workerData.driver)
const db = new Database(workerData.path, { fileMustExist: true })
for (const setting of workerData.pragmas) db.pragma(setting, { simple: true })
const verdict = db.pragma('integrity_check(1)', { simple: true })
db.close()
parentPort.postMessage(verdict)
`

const finishPragmas = () => [
  ...syncPragmas(process.platform),
  'locking_mode = EXCLUSIVE',
  'journal_mode = DELETE',
]

/** Blocks the program, but that is better than no backup on hosts whose threads can't load the driver. */
function finishHere(path: string): unknown {
  const db = connect(path)
  try {
    for (const setting of finishPragmas()) db.pragma(setting, { simple: true })
    return db.pragma('integrity_check(1)', { simple: true })
  } finally {
    db.close()
  }
}
