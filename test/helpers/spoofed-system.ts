import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { LockSystem } from '../../src/main/store/folder/lock.ts'

/** A `ps` whose output follows time zone and language, as on macOS. */
const PS = join(import.meta.dirname, 'fake-ps.sh')

/**
 * Tells who holds a folder as on another system. Sockets of Linux without a file end with their process, as pipes of
 * Windows do.
 */
export function spoofedSystem(platform: NodeJS.Platform): LockSystem {
  return {
    platform,
    ps: PS,
    pipe: (path) => `\0millrace-test-${createHash('sha256').update(path).digest('hex')}`,
  }
}
