/**
 * Inspects a database file before it is opened for writing. Nothing here changes a byte of it.
 *
 * Only for files that this process doesn't have open, because under POSIX, closing any handle of a file releases all
 * locks the process holds on it, including SQLite's.
 */
import type { Database } from 'better-sqlite3'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { type Message, say } from '../../../shared/contract/base/message.ts'
import { connect } from '../sql/connect.ts'
import { writeErrorKind, type StoreOpenErrorKind } from '../sql/errors.ts'
import { pragma } from '../sql/statement.ts'
import { removeFileSync } from './move.ts'

/** "MIll" in the header's application ID field: distinguishes our files from other SQLite files. */
export const APPLICATION_ID = 0x4d_49_6c_6c

/** The file of a database, and the files that SQLite opens next to it. */
export const databaseFiles = (path: string) =>
  ['', '-journal', '-wal', '-shm'].map((suffix) => `${path}${suffix}`)

/** Up to this size a full check takes a few milliseconds, so it runs at every start. */
const ALWAYS_CHECKED_BYTES = 8 * 1024 * 1024
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'

export type Verdict =
  | { readonly kind: 'absent' }
  | { readonly kind: 'good'; readonly version: number; readonly checked: boolean }
  /** `why` completes the sentence "The file … ". */
  | {
      readonly kind: Exclude<StoreOpenErrorKind, 'not_writable' | 'full' | 'passphrase'>
      readonly why: Message
    }

export interface InspectOptions {
  /** The newest schema version this build knows. */
  readonly newestVersion: number
  /** `full` checks the whole file; `quick` does so only if it is small or wasn't closed properly. */
  readonly check: 'full' | 'quick'
}

export function inspectFile(path: string, { newestVersion, check }: InspectOptions): Verdict {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  const logSize = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (size === undefined) {
    return logSize === 0
      ? { kind: 'absent' }
      : { kind: 'damaged', why: say('is missing, although its log (-wal) exists') }
  }
  if (size === 0) return { kind: 'empty', why: say('is empty (0 bytes)') }
  const header = readHeader(path)
  const fault = headerFault(header, logSize === 0 ? size : null, check === 'full')
  if (fault) return fault
  // A log left by a killed process is newer than the header, so SQLite itself has to read the file.
  const mustCheck = check === 'full' || logSize > 0 || size <= ALWAYS_CHECKED_BYTES
  const version = mustCheck ? checkedVersion(path) : header.readUInt32BE(60)
  if (typeof version !== 'number') return version
  if (version > newestVersion) {
    return {
      kind: 'newer',
      why: say('was written by a newer Millrace (schema {{version}}, this one knows {{newest}})', {
        version,
        newest: newestVersion,
      }),
    }
  }
  return { kind: 'good', version, checked: mustCheck }
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, HEADER_BYTES, 0)
  } finally {
    closeSync(file)
  }
  return header
}

/**
 * For the fields and offsets see https://www.sqlite.org/fileformat.html#the_database_header. `size` is null if it isn't
 * known yet.
 */
function headerFault(header: Buffer, size: number | null, isExact: boolean): Verdict | null {
  if (header.every((byte) => byte === 0)) return { kind: 'damaged', why: say('begins with only zeros') }
  if (header.toString('latin1', 0, 16) !== MAGIC) {
    return { kind: 'foreign', why: say("isn't a SQLite database, or its beginning was overwritten") }
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    return { kind: 'foreign', why: say("is another program's database") }
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const pages = header.readUInt32BE(28)
  const countIsValid = header.readUInt32BE(24) === header.readUInt32BE(92)
  if (size !== null && countIsValid && size < pages * pageSize) {
    const whole = pages * pageSize
    return { kind: 'damaged', why: say('is cut short: {{size}} of {{whole}} bytes', { size, whole }) }
  }
  if (isExact && size !== null && countIsValid && size > pages * pageSize) {
    const count = size - pages * pageSize
    return { kind: 'damaged', why: say('has {{count}} bytes after its end', { count }) }
  }
  return null
}

/** The schema version, or the fault. */
function checkedVersion(path: string): number | Verdict {
  // Reading a file in WAL mode creates these if they are missing; those it created are removed afterwards.
  const made = [`${path}-wal`, `${path}-shm`].filter((file) => !existsSync(file))
  let db: Database | null = null
  try {
    db = connect(path, { readonly: true })
    const first = pragma(db, 'quick_check(1)')
    if (first !== 'ok') return damaged(String(first))
    return Number(pragma(db, 'user_version'))
  } catch (error) {
    if (writeErrorKind(error) === 'busy') return { kind: 'locked', why: say('is open in another program') }
    return damaged(String(error))
  } finally {
    db?.close()
    for (const file of made) removeFileSync(file)
  }
}

const damaged = (text: string): Verdict => ({
  kind: 'damaged',
  why: say('is damaged ({{reason}})', { reason: text.replaceAll(/\s+/g, ' ').slice(0, 160) }),
})
