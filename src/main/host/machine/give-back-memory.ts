/** Returns memory that was only needed temporarily to the system. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface IdleMemory {
  /** Reports whether there is work, immediately and whenever that changes. */
  readonly onBusy: (listener: (isBusy: boolean) => void) => void
  /** How long the program must be idle before the memory is returned. */
  readonly afterMs?: number
  readonly giveBack?: () => void
}

const AFTER_MS = 10_000

/**
 * V8 keeps the space that new objects took at the start or in a large run, and collects old objects only when it
 * needs space again, which an idle program never does.
 *
 * @returns a function that ends it
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

/** Freeing less isn't worth the work. */
const LEAST_GAIN_BYTES = 12 * 1024 * 1024
/** Collecting a larger heap would delay requests noticeably. */
const LARGEST_HEAP_BYTES = 128 * 1024 * 1024

/** The memory that was still held after the last collection. */
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

/** Node has no function for this, but V8 adds one to contexts that are created while the flag is set. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as CollectGarbage
  setFlagsFromString('--no-expose-gc')
  // Other flavors don't shrink the space for new objects.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
