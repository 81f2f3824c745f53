import { setImmediate, setTimeout } from 'node:timers/promises'

/**
 * Does works in the order in which they came, each in a turn of the event loop of its own. After one that took long
 * everybody else is served first, those included who are only just connecting.
 */
export function createTurns(): <T>(work: () => T) => Promise<T> {
  let free: Promise<unknown> = Promise.resolve()
  return (work) => {
    let start = 0
    const mine = free.then(() => {
      start = performance.now()
      return work()
    })
    const pause = () => (performance.now() - start > LONG_MS ? setTimeout(PAUSE_MS) : setImmediate())
    free = mine.then(pause, pause)
    return mine
  }
}

const LONG_MS = 10
const PAUSE_MS = 10
