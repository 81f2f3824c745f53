/** Opens connections to SQLite files; all of Millrace's connections are opened here. */
import Database from 'better-sqlite3'
import { resolve } from 'node:path'

/** Time to wait for a file that another connection is using. */
const BUSY_MS = 250

export interface ConnectOptions {
  readonly readonly?: boolean
  /** Creates the file if it doesn't exist. */
  readonly creates?: boolean
  /** Opens the file for several connections, but only of this process. */
  readonly ofProcess?: boolean
  readonly platform?: NodeJS.Platform
}

export function connect(
  path: string,
  { readonly = false, creates = false, ofProcess = false, platform = process.platform }: ConnectOptions = {},
): Database.Database {
  if (!isLoaded) loadWithUris()
  isLoaded = true
  const name = ofProcess ? `file:${escapePath(resolve(path))}?vfs=${OF_PROCESS}` : path
  const db = new Database(name, { readonly, fileMustExist: !creates, timeout: BUSY_MS })
  for (const setting of syncPragmas(platform)) db.pragma(setting, { simple: true })
  return db
}

/**
 * SQLite's way to lock a file for the whole process: no other process can open it. Its connections share the index of
 * the log, which is in memory, and lock each other without system calls. Not available on Windows.
 */
const OF_PROCESS = 'unix-excl'

/** SQLite only accepts the name of a locking mode in a URI, and reads this variable once, when it is loaded. */
function loadWithUris(): void {
  process.env[URIS] = '1'
  new Database(':memory:').close()
  // Programs that Millrace starts must not inherit it.
  delete process.env[URIS]
}

const URIS = 'SQLITE_USE_URI'
let isLoaded = false

const escapePath = (path: string) => encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23')

/**
 * On macOS, `fsync` returns while the data is still in the memory of the drive, which loses it in a power failure. Only
 * the call behind these settings empties that memory. Elsewhere, `fsync` does so itself.
 */
export function syncPragmas(platform: NodeJS.Platform): readonly string[] {
  return platform === 'darwin' ? ['fullfsync = ON', 'checkpoint_fullfsync = ON'] : []
}
