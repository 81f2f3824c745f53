/** Places that no setting can open to flows: Millrace's own data and key, and the system's process and device files. */
import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { dirname, join, basename } from 'node:path'

export type ClosedPlaces = ReturnType<typeof createClosedPlaces>

export interface ClosedPlacesOptions {
  readonly dataDir: string
  /** Files that contain keys. */
  readonly keyFiles: readonly string[]
}

export function createClosedPlaces({ dataDir, keyFiles }: ClosedPlacesOptions) {
  const databases = DATABASE_FILES.map((name) => join(dataDir, name))
  const places = [dataDir, ...databases, ...keyFiles, ...SYSTEM_FOLDERS]
  return {
    /**
     * The closed place that contains the path or is the path; null if it is open. The path may not exist, and can be
     * spelled in any way: with links, in another case, with `..`, or through another mount.
     */
    closedBy(path: string): string | null {
      const real = nearestReal(path)
      // The identities are read each time, because a folder can be replaced.
      return places.find((place) => isWithin(real, nearestReal(place))) ?? null
    },
  }
}

/**
 * These files are also closed individually, because a flow could reach one by a hard link elsewhere, and closing the
 * file after reading it would release the locks of the database.
 */
const DATABASE_FILES = ['millrace.db', 'millrace.db-wal', 'millrace.db-shm']
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev']

/** Whether a path is `root` or below it, by file identity rather than by name. */
export function isWithin(path: string, root: string): boolean {
  const wanted = identityOf(root)
  for (let at = path; ; at = dirname(at)) {
    if (at === root) return true
    const here = wanted === null ? null : identityOf(at)
    if (here !== null && here.dev === wanted?.dev && here.ino === wanted.ino) return true
    if (at === dirname(at)) return false
  }
}

/** The path with links resolved; if it doesn't exist or isn't readable, its nearest ancestor that is. */
function nearestReal(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(nearestReal(above), basename(path))
  }
}

function identityOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return null
  }
}
