/** Work that waits until what was just changed has been painted. */
export interface AfterPaint {
  /** Asked for again before it is done: it is done once. */
  schedule(): void
  /** Does at once what was asked for; nothing where nothing was. */
  flush(): void
}

/** Pages in the background paint nothing. */
const AT_LATEST_MS = 100
/** Whoever keeps things when the page goes listens to the same, and must find the work done. */
const LEAVING = ['beforeunload', 'pagehide', 'visibilitychange'] as const

export function createAfterPaint(work: () => void): AfterPaint {
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  function flush() {
    if (timer === undefined) return
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    timer = undefined
    for (const type of LEAVING) window.removeEventListener(type, flush, { capture: true })
    work()
  }
  return {
    schedule() {
      if (timer !== undefined) return
      timer = setTimeout(flush, AT_LATEST_MS)
      for (const type of LEAVING) window.addEventListener(type, flush, { capture: true })
      // A frame is painted right after its callbacks; what comes behind it on the queue finds it painted.
      frame = requestAnimationFrame(() => {
        clearTimeout(timer)
        timer = setTimeout(flush, 0)
      })
    },
    flush,
  }
}
