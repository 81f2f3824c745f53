/** Places that no setting opens to flows: Millrace's own data and key, and what the system shows of its processes and devices. */
import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { dirname, join, basename } from 'node:path'

export interface ClosedPlaces {
  /**
   * The closed place that the path is or lies in; null where it is open. The path may be missing, or be spelled in any
   * way: with links, another case, `..`, or by another mount.
   */
  closedBy(path: string): string | null
}

export interface ClosedPlacesOptions {
  readonly dataDir: string
  /** Files that hold keys. */
  readonly keyFiles: readonly string[]
}

export function createClosedPlaces({ dataDir, keyFiles }: ClosedPlacesOptions): ClosedPlaces {
  const places = [dataDir, ...keyFiles, ...SYSTEM_FOLDERS]
  return {
    closedBy(path) {
      const real = nearestReal(path)
      // The identities are asked anew each time: a folder may have been replaced meanwhile.
      return places.find((place) => isWithin(real, nearestReal(place))) ?? null
    },
  }
}

const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev']

/** Whether a path is `root` or below it, by what they are rather than by their names. */
export function isWithin(path: string, root: string): boolean {
  const wanted = identityOf(root)
  for (let at = path; ; at = dirname(at)) {
    if (at === root) return true
    const here = wanted === null ? null : identityOf(at)
    if (here !== null && here.dev === wanted?.dev && here.ino === wanted.ino) return true
    if (at === dirname(at)) return false
  }
}

/** The path without links; of one that is not there, or not to be looked at, the part above that is. */
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
