/**
 * The lock file: which process has the data folder open, and how other programs of the same user reach it.
 *
 * It says who is there; SQLite's own exclusive lock, which ends with the process, is the second line behind it, for
 * cases that a process number cannot tell (two containers that share a folder).
 */
import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StoreOpenError, unwritable } from '../sql/errors.ts'
import { dataFolder, errorCode } from './folder.ts'
import { findProcess } from './process-start.ts'

export interface LockRecord {
  readonly pid: number
  /** When that process started, as the system tells it; with it a reused process number is not mistaken. */
  readonly process_start: string | null
  /** Tells one opening of the folder from every other. */
  readonly boot_id: string
  /** Where the host listens and the bearer for the user's own commands; null until it listens. */
  readonly port: number | null
  readonly owner_secret: string | null
}

export interface Lock {
  /** Tells the user's own commands how to reach this host. */
  readonly publish: (address: { readonly port: number; readonly ownerSecret: string }) => void
  readonly release: () => void
}

/** Takes the folder or throws `locked`. A lock whose process is gone is taken over; of several takers one wins. */
export function acquireLock(path: string, bootId: string): Lock {
  const own: LockRecord = {
    pid: process.pid,
    process_start: findProcess(process.pid)?.start ?? null,
    boot_id: bootId,
    port: null,
    owner_secret: null,
  }
  take(path, own, 0)
  removeDrafts(path)
  const isOurs = () => readRecord(path)?.boot_id === bootId
  return {
    publish({ port, ownerSecret }) {
      if (isOurs()) replaceFile(path, { ...own, port, owner_secret: ownerSecret })
    },
    release() {
      if (isOurs()) rmSync(path, { force: true })
    },
  }
}

/** Who has the folder open: null where nobody has, or where the file is left over from a dead process. */
export function readLock(dataDir: string): LockRecord | null {
  const record = readRecord(dataFolder(dataDir).lock)
  return record !== null && isHeld(record) ? record : null
}

const MAX_DEPTH = 3
const MAX_TRIES = 20

/**
 * A lock file appears whole and where there was none (see `createFile`), so of several makers one wins. Replacing a
 * stale one needs more care: judging and replacing are two system calls, and a second taker could replace the winner's
 * fresh file. So whoever replaces holds a guard beside it, which is a lock file of the same kind, and looks again once
 * it has the guard.
 */
function take(path: string, own: LockRecord, depth: number): void {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (createFile(path, own)) return
    const found = readText(path)
    if (found === null) continue // released between the two calls
    refuseWhereHeld(path, found)
    if (depth === MAX_DEPTH) break
    const guard = `${path}.takeover`
    take(guard, own, depth + 1)
    try {
      if (readText(path) !== found) continue
      replaceFile(path, own)
      return
    } finally {
      rmSync(guard, { force: true })
    }
  }
  throw new StoreOpenError('locked', `${path} keeps changing; another Millrace is starting in this folder`)
}

function refuseWhereHeld(path: string, text: string): void {
  const record = parseRecord(text)
  if (record === null && isFresh(path) && !takesLinks(path)) {
    throw new StoreOpenError(
      'locked',
      `${path} was just created: another Millrace is starting in this folder`,
    )
  }
  if (record === null || !isHeld(record)) return
  throw new StoreOpenError(
    'locked',
    `The data folder is in use by another Millrace (process ${record.pid}, ${path}); quit it first or choose another folder with --data-dir`,
  )
}

function isHeld({ pid, process_start: start }: LockRecord): boolean {
  const found = findProcess(pid)
  if (found === null) return false
  return start === null || found.start === null || start === found.start
}

/**
 * A file without a whole record is what a loss of power left, or an older version that was killed as it wrote; only on
 * a disk without hard links may it be one that is being written, unless it stays so.
 */
function isFresh(path: string): boolean {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return changed !== undefined && Math.abs(Date.now() - changed) < 5_000
}

/**
 * Written under another name and then linked, which fails where the name is taken: whoever finds the file finds all of
 * it, wherever its maker was killed. False where there is one already.
 */
function createFile(path: string, record: LockRecord): boolean {
  const draft = draftOf(path, record)
  try {
    writeFile(draft, 'w', record)
    return link(draft, path) ?? createInPlace(path, record)
  } catch (error) {
    throw notWritable(path, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Null where this disk has no hard links. */
function link(from: string, to: string): boolean | null {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    const code = errorCode(error)
    // The one who got the lock meanwhile has tidied up (`removeDrafts`).
    if (code === 'EEXIST' || code === 'ENOENT') return false
    if (NO_LINKS.has(code)) return null
    throw error
  }
}

const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EISDIR',
])

function createInPlace(path: string, record: LockRecord): boolean {
  try {
    writeFile(path, 'wx', record)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

function takesLinks(path: string): boolean {
  const probe = `${path}${DRAFT}probe-${process.pid}`
  try {
    return link(path, probe) === true
  } finally {
    rmSync(probe, { force: true })
  }
}

function replaceFile(path: string, record: LockRecord): void {
  const draft = draftOf(path, record)
  try {
    writeFile(draft, 'w', record)
    renameSync(draft, path)
  } catch (error) {
    throw notWritable(path, error)
  }
}

/** What programs left that were killed before they had the lock. */
function removeDrafts(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (name.startsWith(basename(path)) && name.includes(DRAFT)) rmSync(join(folder, name), { force: true })
  }
}

const DRAFT = '.new-'
const draftOf = (path: string, record: LockRecord) => `${path}${DRAFT}${record.boot_id}`

function writeFile(path: string, flags: 'w' | 'wx', record: LockRecord): void {
  const file = openSync(path, flags, 0o600)
  try {
    writeSync(file, JSON.stringify(record))
  } finally {
    closeSync(file)
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw notWritable(path, error)
  }
}

function readRecord(path: string): LockRecord | null {
  const text = readText(path)
  return text === null ? null : parseRecord(text)
}

function parseRecord(text: string): LockRecord | null {
  try {
    const record: unknown = JSON.parse(text)
    return isRecord(record) ? record : null
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== 'object' || value === null) return false
  const { pid, boot_id: bootId } = value as Partial<LockRecord>
  return Number.isInteger(pid) && Number(pid) > 0 && typeof bootId === 'string'
}

function notWritable(path: string, cause: unknown): StoreOpenError {
  return unwritable(path, errorCode(cause), '', cause)
}
