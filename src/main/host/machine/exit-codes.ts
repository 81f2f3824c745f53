/** Exit codes, from sysexits.h where it has a matching one. */
import { StoreOpenError, type StoreOpenErrorKind, StoreWriteError } from '../../store/index.ts'

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  portTaken: 69,
  internal: 70,
  damagedData: 74,
  /** A temporary failure, after which a later start can succeed. */
  folderInUse: 75,
  notWritable: 78,
  /** The code that shells report for a program that a closed pipe ended (128 + SIGPIPE). */
  readerGone: 141,
} as const

/** The meaning of each exit code, for callers of the program. */
export const EXIT_HELP: { readonly [C in keyof typeof EXIT]: string } = {
  ok: 'done',
  failed: 'failed: the request was rejected, or the run ended in an error',
  usage: 'wrong usage, or an environment variable with an invalid value',
  portTaken: 'the port is taken',
  internal: 'unexpected error; see the log',
  damagedData:
    'the database is damaged, foreign or too new; nothing was changed, and the newest good backup is named',
  folderInUse: 'try later: another process has the data folder open, or the disk is full',
  notWritable: "the data folder can't be written",
  readerGone: 'the program that read the output closed the pipe, as `head` does; nothing more was fetched',
}

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Thrown if the program can't continue, but the user can fix the cause. The message says how. */
export class HostError extends Error {
  override readonly name = 'HostError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

const STORE_EXIT: { readonly [K in StoreOpenErrorKind]: ExitCode } = {
  empty: EXIT.damagedData,
  foreign: EXIT.damagedData,
  newer: EXIT.damagedData,
  passphrase: EXIT.failed,
  damaged: EXIT.damagedData,
  locked: EXIT.folderInUse,
  not_writable: EXIT.notWritable,
  full: EXIT.folderInUse,
}

/** Whether the start or a command failed because the disk is full. */
export function isDiskFull(error: unknown): error is StoreOpenError | StoreWriteError {
  return (error instanceof StoreOpenError || error instanceof StoreWriteError) && error.kind === 'full'
}

/** Unexpected errors are `internal`. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof HostError) return error.exitCode
  if (isDiskFull(error)) return EXIT.folderInUse
  return error instanceof StoreOpenError ? STORE_EXIT[error.kind] : EXIT.internal
}
