/** Opens connections to SQLite files: every connection of the program begins here. */
import Database from 'better-sqlite3'
import { resolve } from 'node:path'

/** How long to wait for a file that another connection is using. */
const BUSY_MS = 250

export interface ConnectOptions {
  readonly readonly?: boolean
  /** Creates the file if it doesn't exist. */
  readonly creates?: boolean
  /** For this process alone, but for several connections in it. */
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
 * SQLite's way to lock a file for the whole process: nobody else can open it, its connections share the index of the
 * log, which is in memory, and lock each other without asking the system. Windows doesn't have it.
 */
const OF_PROCESS = 'unix-excl'

/** SQLite takes the name of a way to lock only from a URI, and reads this variable once, when it is loaded. */
function loadWithUris(): void {
  process.env[URIS] = '1'
  new Database(':memory:').close()
  // Not for the programs that this one starts.
  delete process.env[URIS]
}

const URIS = 'SQLITE_USE_URI'
let isLoaded = false

const escapePath = (path: string) => encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23')

/**
 * On macOS, `fsync` returns while the data is still in the memory of the drive, which loses it with the power. Only the
 * call behind these settings empties that memory. Elsewhere `fsync` does so itself.
 */
export function syncPragmas(platform: NodeJS.Platform): readonly string[] {
  return platform === 'darwin' ? ['fullfsync = ON', 'checkpoint_fullfsync = ON'] : []
}
