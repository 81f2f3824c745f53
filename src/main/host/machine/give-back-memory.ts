/** Gives memory that was only needed for a while back to the system. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface IdleMemory {
  /** Reports whether there is work: at once, and whenever that changes. */
  readonly onBusy: (listener: (isBusy: boolean) => void) => void
  /** So long after the last work. */
  readonly afterMs?: number
  readonly giveBack?: () => void
}

const AFTER_MS = 10_000

/**
 * V8 keeps the room that new objects took at the start or in a large run, and collects old ones only when it needs
 * room again. An idle program never does.
 *
 * @returns ends it
 */
export function giveBackWhileIdle({
  onBusy,
  afterMs = AFTER_MS,
  giveBack = giveBackMemory,
}: IdleMemory): () => void {
  let timer: NodeJS.Timeout | undefined
  onBusy((isBusy) => {
    clearTimeout(timer)
    if (!isBusy) timer = setTimeout(() => giveBack(), afterMs).unref()
  })
  return () => clearTimeout(timer)
}

/** With less to gain, it isn't worth the work. */
const LEAST_GAIN_BYTES = 12 * 1024 * 1024
/** Above, it would take so long that a request notices. */
const LARGEST_HEAP_BYTES = 128 * 1024 * 1024

/** What the last time left. */
let leftBytes = 0

export function giveBackMemory(largestBytes = LARGEST_HEAP_BYTES): void {
  const held = getHeapStatistics().total_physical_size
  if (held > largestBytes || held - leftBytes < LEAST_GAIN_BYTES) return
  collectGarbage()
  leftBytes = getHeapStatistics().total_physical_size
}

interface CollectGarbage {
  (options: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }): void
}

/** Node has no call for it; V8 adds the function to contexts that are created while the flag is set. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as CollectGarbage
  setFlagsFromString('--no-expose-gc')
  // Otherwise the room for new objects stays as large as it ever was.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
