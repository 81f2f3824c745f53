/** Errors of the data folder, in a form from which a host can choose an exit code, and a user can tell what to do. */
import { quoted, say, type Said } from '../../../shared/contract/base/message.ts'
import { AppError, SpokenError } from '../../../shared/contract/base/errors.ts'

/**
 * - `empty`, `foreign`, `damaged`: the file is not a Millrace database, or no longer one.
 * - `passphrase`: a backup doesn't open without its passphrase, or not with this one.
 * - `newer`: a later version of Millrace wrote it.
 * - `locked`: another process has the folder open.
 * - `not_writable`: the folder or a file in it can't be written.
 * - `full`: the disk has no space left.
 */
export type StoreOpenErrorKind =
  | 'empty'
  | 'foreign'
  | 'newer'
  | 'passphrase'
  | 'damaged'
  | 'locked'
  | 'not_writable'
  | 'full'

export interface StoreOpenErrorOptions {
  /** The newest backup that this build can open, if there is one. */
  readonly backup?: string | null
  readonly cause?: unknown
}

/** The data folder can't be opened. The message names the file, what to do and the newest good backup. */
export class StoreOpenError extends SpokenError {
  override readonly name = 'StoreOpenError'
  readonly kind: StoreOpenErrorKind
  readonly backup: string | null

  constructor(
    kind: StoreOpenErrorKind,
    /** The page only shows messages about backups; those of a host that doesn't start are in English. */
    sentence: Said | string,
    { backup = null, cause }: StoreOpenErrorOptions = {},
  ) {
    super(typeof sentence === 'string' ? quoted(sentence) : sentence, cause)
    this.kind = kind
    this.backup = backup
  }
}

/**
 * The error if the system or SQLite reports that a path can't be written.
 *
 * @param remedy what to do unless the disk is full
 */
export function unwritable(path: string, code: string, remedy: string, cause: unknown): StoreOpenError {
  if (!FULL_CODES.has(code)) {
    return new StoreOpenError('not_writable', `${path} cannot be written (${code})${remedy}`, { cause })
  }
  return new StoreOpenError(
    'full',
    `${path} cannot be written: the disk has no room for it (${code}); free some space and start again`,
    { cause },
  )
}

const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'])

export type StoreWriteErrorKind = 'full' | 'io' | 'busy' | 'slow' | 'lost' | 'closed'

const WRITE_SENTENCES: Readonly<Record<StoreWriteErrorKind, Said>> = {
  full: say('The disk is full, so nothing was stored; free some space and send the request again'),
  io: say(
    "The disk couldn't be written to, so nothing was stored; check the disk and send the request again",
  ),
  busy: say(
    'Another program has locked the database, so nothing was stored; close that program and send the request again',
  ),
  slow: say(
    'The disk is too slow for the number of requests, so nothing was stored; send the request again in a moment',
  ),
  lost: say('Millrace could not finish writing this; send it again in a moment'),
  closed: say('Millrace is shutting down, so nothing was stored; send the request again in a moment'),
}

/** Thrown if a commit didn't reach the disk, so that nothing of it is stored. Returned as 503 with `Retry-After`. */
export class StoreWriteError extends AppError {
  readonly kind: StoreWriteErrorKind

  constructor(kind: StoreWriteErrorKind, cause?: unknown) {
    super('unavailable', WRITE_SENTENCES[kind], { headers: { 'Retry-After': '5' }, cause })
    this.kind = kind
  }
}

/** SQLite's own error code (`SQLITE_FULL`, `SQLITE_CONSTRAINT_UNIQUE`), or null for any other error. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : null
}

/** The kind of failure if it breaks the whole transaction; null if only the statement failed. */
export function writeErrorKind(error: unknown): StoreWriteErrorKind | null {
  const code = sqliteCode(error)
  if (code === null) return null
  if (code === 'SQLITE_FULL') return 'full'
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy'
  return /^SQLITE_(IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM|PROTOCOL)/.test(code) ? 'io' : null
}
