/**
 * The lock file: which process has the data folder open, and how other programs of the same user reach it.
 *
 * It identifies the owner; on Windows, a pipe does (holder-pipe.ts). SQLite's own exclusive lock, which ends with the
 * process, is the second line of defense for cases neither can decide (two containers that share a folder).
 */
import { closeSync, linkSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs'
import type { Server } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { StoreOpenError, unwritable } from '../sql/errors.ts'
import { dataFolder, errorCode } from './folder.ts'
import { askPipe, holdPipe, pipeOf } from './holder-pipe.ts'
import { moveFileSync, removeFileSync, untilFreeSync } from './move.ts'
import { findProcess } from './process-start.ts'

export interface LockRecord {
  readonly pid: number
  /** The start time of that process, as reported by the system; detects a reused process ID. */
  readonly process_start: string | null
  /** A new ID each time the folder is opened. */
  readonly boot_id: string
  /** The host's port and the bearer token for the user's own commands; null until it listens. */
  readonly port: number | null
  readonly owner_secret: string | null
}

export interface Lock {
  /** Publishes the port and the bearer token with which the user's own commands reach this host. */
  readonly publish: (address: { readonly port: number; readonly ownerSecret: string }) => void
  readonly release: () => void
}

/** The means by which this system detects who has the folder open. */
export interface LockSystem {
  readonly platform: NodeJS.Platform
  /** Path of the program `ps`, on macOS. */
  readonly ps?: string
  /** The pipe of a lock file, on Windows. */
  readonly pipe: (path: string) => string
}

const THIS_SYSTEM: LockSystem = { platform: process.platform, pipe: pipeOf }

/**
 * Locks the folder or throws `locked`. A lock whose process has ended is taken over; if several processes try, one
 * wins.
 */
export async function acquireLock(path: string, bootId: string, system = THIS_SYSTEM): Promise<Lock> {
  const own: LockRecord = {
    pid: process.pid,
    process_start: findProcess(process.pid, system)?.start ?? null,
    boot_id: bootId,
    port: null,
    owner_secret: null,
  }
  const pipe = system.platform === 'win32' ? await takePipe(path, own, system) : null
  if (pipe === null) take(path, own, system)
  removeDrafts(path)
  const isOurs = () => readRecord(path)?.boot_id === bootId
  return {
    publish({ port, ownerSecret }) {
      if (isOurs()) replaceFile(path, { ...own, port, owner_secret: ownerSecret })
    },
    release() {
      if (isOurs()) removeFileSync(path)
      pipe?.close()
    },
  }
}

/** The process that has the folder open; null if there is none, or if a dead process left the file. */
export async function readLock(dataDir: string, system = THIS_SYSTEM): Promise<LockRecord | null> {
  const { lock } = dataFolder(dataDir)
  const record = readRecord(lock)
  if (record === null) return null
  if (system.platform !== 'win32') return isHeld(record, system) ? record : null
  const bootId = await askPipe(system.pipe(lock))
  if (bootId === null) return null
  // Another process has just opened the folder and hasn't replaced the file yet.
  return bootId === record.boot_id ? record : { ...record, port: null, owner_secret: null }
}

/** The process that has the pipe may replace the file. */
async function takePipe(path: string, own: LockRecord, system: LockSystem): Promise<Server> {
  const server = await holdPipe(system.pipe(path), own.boot_id)
  if (server === null) throw inUse(path, readRecord(path))
  try {
    replaceFile(path, own)
    return server
  } catch (error) {
    server.close()
    throw error
  }
}

const MAX_DEPTH = 3
const MAX_TRIES = 20

/**
 * A lock file appears complete and only under a free name (see `createFile`), so if several processes try, one wins.
 * Replacing a stale one needs more care, because checking and replacing are two system calls, and a second process
 * could replace the winner's fresh file. So the replacing process first takes a guard next to it, a lock file of the
 * same kind, and then checks again.
 */
function take(path: string, own: LockRecord, system: LockSystem, depth = 0): void {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (createFile(path, own)) return
    const found = readText(path)
    if (found === null) continue // released between the two calls
    refuseWhereHeld(path, found, system)
    if (depth === MAX_DEPTH) break
    const guard = `${path}.takeover`
    take(guard, own, system, depth + 1)
    try {
      if (readText(path) !== found) continue
      replaceFile(path, own)
      return
    } finally {
      removeFileSync(guard)
    }
  }
  throw new StoreOpenError('locked', `${path} keeps changing; another Millrace is starting in this folder`)
}

function refuseWhereHeld(path: string, text: string, system: LockSystem): void {
  const record = parseRecord(text)
  if (record === null && isFresh(path) && !takesLinks(path)) {
    throw new StoreOpenError(
      'locked',
      `${path} was just created: another Millrace is starting in this folder`,
    )
  }
  if (record !== null && isHeld(record, system)) throw inUse(path, record)
}

function inUse(path: string, record: LockRecord | null): StoreOpenError {
  const who = record === null ? path : `process ${record.pid}, ${path}`
  return new StoreOpenError(
    'locked',
    `The data folder is in use by another Millrace (${who}); quit it first or choose another folder with --data-dir`,
  )
}

function isHeld({ pid, process_start: start }: LockRecord, system: LockSystem): boolean {
  const found = findProcess(pid, system)
  if (found === null) return false
  return start === null || found.start === null || start === found.start
}

/**
 * A file without a complete record was left by a power failure, or by an older version killed while writing. Only on a
 * disk without hard links can it be a record that is still being written, and then it doesn't stay incomplete.
 */
function isFresh(path: string): boolean {
  const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return changed !== undefined && Math.abs(Date.now() - changed) < 5_000
}

/**
 * Writes the file under another name and then links it, which fails if the name is taken. Readers only ever see a
 * complete file, even if the writer is killed. False if the file exists already.
 */
function createFile(path: string, record: LockRecord): boolean {
  const draft = draftOf(path, record)
  try {
    writeFile(draft, 'w', record)
    return link(draft, path) ?? createInPlace(path, record)
  } catch (error) {
    throw notWritable(path, error)
  } finally {
    removeFileSync(draft)
  }
}

/** Null if this disk has no hard links. */
function link(from: string, to: string): boolean | null {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    const code = errorCode(error)
    // The process that got the lock in the meantime has cleaned up (`removeDrafts`).
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
    removeFileSync(probe)
  }
}

function replaceFile(path: string, record: LockRecord): void {
  const draft = draftOf(path, record)
  try {
    writeFile(draft, 'w', record)
    moveFileSync(draft, path)
  } catch (error) {
    throw notWritable(path, error)
  }
}

/** Removes the drafts of programs that were killed before they had the lock. */
function removeDrafts(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (name.startsWith(basename(path)) && name.includes(DRAFT)) removeFileSync(join(folder, name))
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
    return untilFreeSync(() => readFileSync(path, 'utf8'))
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
