import { useRef } from 'react'

/** Keeps a double-click, or Enter pressed twice, from starting the work again while it is in progress. */
export function useOneAtATime(work: () => Promise<unknown> | void): () => Promise<void> {
  const busy = useRef(false)
  return async () => {
    if (busy.current) return
    busy.current = true
    try {
      await work()
    } finally {
      busy.current = false
    }
  }
}
