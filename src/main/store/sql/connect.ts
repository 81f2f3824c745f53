/** Opens connections to SQLite files: every connection of the program begins here. */
import Database from 'better-sqlite3'

/** How long to wait for a file that another connection is using. */
const BUSY_MS = 250

export interface ConnectOptions {
  readonly readonly?: boolean
  /** Creates the file if it doesn't exist. */
  readonly creates?: boolean
  readonly platform?: NodeJS.Platform
}

export function connect(
  path: string,
  { readonly = false, creates = false, platform = process.platform }: ConnectOptions = {},
): Database.Database {
  const db = new Database(path, { readonly, fileMustExist: !creates, timeout: BUSY_MS })
  for (const setting of syncPragmas(platform)) db.pragma(setting, { simple: true })
  return db
}

/**
 * On macOS, `fsync` returns while the data is still in the memory of the drive, which loses it with the power. Only the
 * call behind these settings empties that memory. Elsewhere `fsync` does so itself.
 */
export function syncPragmas(platform: NodeJS.Platform): readonly string[] {
  return platform === 'darwin' ? ['fullfsync = ON', 'checkpoint_fullfsync = ON'] : []
}
