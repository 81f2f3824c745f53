import { useRef } from 'react'

/** The work, which isn't started a second time while it is in progress: by a double-click, or Enter pressed twice. */
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
