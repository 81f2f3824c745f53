/** Whether what is to be stored reaches the disk. */
import type { Rider } from './commit/commit.ts'

export interface WriteHealth {
  /** False from a commit that failed until one that did not. */
  readonly isWell: () => boolean
  readonly noteFailure: () => void
  /** Learns of each commit that reached the disk. */
  readonly rider: Rider
  readonly close: () => void
}

/** @param tryWrite writes a little; called now and then while commits fail, so that a quiet program recovers as well */
export function createWriteHealth(tryWrite: () => void, tryEveryMs = TRY_EVERY_MS): WriteHealth {
  let timer: NodeJS.Timeout | null = null
  const stop = () => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  return {
    isWell: () => timer === null,
    noteFailure() {
      timer ??= setInterval(tryWrite, tryEveryMs).unref()
    },
    rider: { save: () => {}, saved: stop },
    close: stop,
  }
}

const TRY_EVERY_MS = 2_000
