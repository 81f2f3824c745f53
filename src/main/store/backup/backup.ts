/** Copies of the database in `backups/`: made while the program runs, checked, pruned, found again. */
import type { Database } from 'better-sqlite3'
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { packFiles } from './backup-files.ts'
import { finishCopy } from '../finish-copy.ts'
import { syncFolder } from '../folder/folder.ts'
import { inspectFile } from '../folder/inspect-file.ts'

export interface Backup {
  readonly path: string
  readonly created_at: string
  readonly reason: BackupReason
  readonly bytes: number
}

/** `update`: taken before a newer version of Millrace changed the schema. */
export type BackupReason = 'daily' | 'update'

const KEPT: Readonly<Record<BackupReason, number>> = { daily: 7, update: 3 }
const DAY_MS = 24 * 60 * 60 * 1_000
const NAME = /^millrace-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)-(daily|update)\.db$/
const PARTIAL = '.partial'

/** Takes a backup into the folder and forgets those beyond the number kept. Throws where it is not sound. */
export async function takeBackup(
  db: Database,
  dir: string,
  { reason, now }: { readonly reason: BackupReason; readonly now: number },
): Promise<Backup> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const created_at = new Date(now).toISOString()
  const path = join(dir, `millrace-${created_at.replaceAll(/[:.]/g, '-')}-${reason}.db`)
  await writeBackup(db, path)
  const sameReason = listBackups(dir).filter((backup) => backup.reason === reason)
  for (const { path } of sameReason.slice(KEPT[reason])) rmSync(path, { force: true })
  return { path, created_at, reason, bytes: statSync(path).size }
}

/**
 * Copies the database to any place. What is there is replaced, once the copy is whole, checked and on the disk.
 *
 * @param dataDir the folder whose files are to be in it; null: the database alone
 */
export async function writeBackup(db: Database, path: string, dataDir: string | null = null): Promise<void> {
  const partial = `${path}${PARTIAL}`
  try {
    rmSync(partial, { force: true })
    closeSync(openSync(partial, 'wx', 0o600))
    await db.backup(partial)
    if (dataDir !== null) await packFiles(partial, dataDir)
    await finishCopy(partial)
    renameSync(partial, path)
    syncFolder(dirname(path))
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${partial}${suffix}`, { force: true })
  }
}

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

/** True a day after the newest daily backup; a clock that was set back does not put it off. */
export function isBackupDue(dir: string, now: number): boolean {
  const newest = listBackups(dir).find((backup) => backup.reason === 'daily')
  return newest === undefined || Math.abs(now - Date.parse(newest.created_at)) >= DAY_MS
}

/** The newest backup that this build can open, checked anew. */
export function newestGoodBackup(dir: string, newestVersion: number): string | null {
  const good = listBackups(dir).find(
    ({ path }) => inspectFile(path, { newestVersion, check: 'full' }).kind === 'good',
  )
  return good?.path ?? null
}

/** Takes away what a killed process left half done. */
export function removePartialBackups(dir: string): void {
  for (const name of namesIn(dir)) {
    if (name.includes(PARTIAL)) rmSync(join(dir, basename(name)), { force: true })
  }
}

function namesIn(dir: string): string[] {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(dir) : []
}
