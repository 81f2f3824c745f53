import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { LockSystem } from '../../src/main/store/folder/lock.ts'

/** A `ps` whose output follows time zone and language, as on macOS. */
const PS = join(import.meta.dirname, 'fake-ps.sh')

/**
 * Finds the holder of a folder as on another system. Linux sockets without a file end with their process, like
 * Windows pipes.
 */
export function spoofedSystem(platform: NodeJS.Platform): LockSystem {
  return {
    platform,
    ps: PS,
    pipe: (path) => `\0millrace-test-${createHash('sha256').update(path).digest('hex')}`,
  }
}
