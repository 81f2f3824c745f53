/** A page in the background paints nothing, so the work doesn't wait longer than this. */
const AT_LATEST_MS = 100
/** Code that saves state when the page is left listens to the same events, so the work must be done first. */
const LEAVING = ['beforeunload', 'pagehide', 'visibilitychange'] as const

/** Work that waits until the latest change has been painted. */
export function createAfterPaint(work: () => void) {
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Does pending work immediately; nothing if there is none. */
  function flush() {
    if (timer === undefined) return
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    timer = undefined
    for (const type of LEAVING) window.removeEventListener(type, flush, { capture: true })
    work()
  }
  return {
    /** If it is requested again before it is done, it is done only once. */
    schedule(): void {
      if (timer !== undefined) return
      timer = setTimeout(flush, AT_LATEST_MS)
      for (const type of LEAVING) window.addEventListener(type, flush, { capture: true })
      // A frame is painted right after its callbacks, so it is on screen when the next task runs.
      frame = requestAnimationFrame(() => {
        clearTimeout(timer)
        timer = setTimeout(flush, 0)
      })
    },
    flush,
  }
}
