import { useSyncExternalStore } from 'react'

/** The part of the window's width that is taken by help next to the screen. */
let taken = 0
const changes = new EventTarget()

export function takeRoom(width: number): void {
  if (width === taken) return
  taken = width
  changes.dispatchEvent(new Event('change'))
}

/** Whether screens have less than this width of the window, for layouts that styles can't express. */
export function useRoomUnder(width: number): boolean {
  return useSyncExternalStore(follow, () => window.innerWidth - taken < width)
}

/** Whether the window itself is narrower, whatever is open in it. */
export function useWindowUnder(width: number): boolean {
  return useSyncExternalStore(follow, () => window.innerWidth < width)
}

function follow(changed: () => void): () => void {
  changes.addEventListener('change', changed)
  window.addEventListener('resize', changed)
  return () => {
    changes.removeEventListener('change', changed)
    window.removeEventListener('resize', changed)
  }
}
