/**
 * A reserve file that is deleted when the disk is full, because even deleting rows writes to the log before it frees
 * anything. While space is short, only writes that fit into the database's free pages are committed; once there is
 * enough space, the file is created again.
 */
import { statfsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { randomBytes } from 'node:crypto'
import { removeFileSync } from './move.ts'

export interface Reserve {
  /** True while the disk has too little space for writes that grow the database. */
  readonly isShort: () => boolean
  /** Call after a failed commit; releases the reserve if the disk is the reason. */
  readonly noteFailure: () => void
  readonly close: () => void
}

export interface ReserveOptions {
  readonly freeBytes?: () => number
  readonly fillAfterMs?: number
}

const RESERVE_BYTES = 16 * 1024 * 1024
/** The reserve itself plus the same amount to work with. */
const ENOUGH_BYTES = 2 * RESERVE_BYTES
/** Delayed, because the first seconds belong to the first requests. */
const FILL_AFTER_MS = 20_000

export function createReserve(
  path: string,
  { freeBytes = () => freeBytesAt(path), fillAfterMs = FILL_AFTER_MS }: ReserveOptions = {},
): Reserve {
  let isShort = false
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    return setTimeout(() => {
      if (!isShort && sizeOf(path) < RESERVE_BYTES && freeBytes() >= ENOUGH_BYTES) void fill(path)
    }, fillAfterMs).unref()
  }

  return {
    isShort() {
      if (isShort && freeBytes() >= ENOUGH_BYTES) {
        isShort = false
        clearTimeout(timer)
        timer = schedule()
      }
      return isShort
    },
    noteFailure() {
      if (freeBytes() >= ENOUGH_BYTES) return
      isShort = true
      removeFileSync(path)
    },
    close: () => clearTimeout(timer),
  }
}

const BLOCK_BYTES = 1024 * 1024

/** Uses random bytes, because on a compressing file system, zeros would take no space. A failure is retried later. */
async function fill(path: string): Promise<void> {
  try {
    const file = await open(path, 'w', 0o600)
    try {
      const block = randomBytes(BLOCK_BYTES)
      for (let written = 0; written < RESERVE_BYTES; written += BLOCK_BYTES) await file.write(block)
      await file.datasync()
    } finally {
      await file.close()
    }
  } catch {
    removeFileSync(path)
  }
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

function freeBytesAt(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize
}
