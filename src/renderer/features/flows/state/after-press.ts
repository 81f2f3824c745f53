let isPressed = false
if (typeof window !== 'undefined') {
  window.addEventListener('pointerdown', () => (isPressed = true), true)
  for (const end of ['pointerup', 'pointercancel'] as const)
    window.addEventListener(end, () => (isPressed = false), true)
}

/** Does the work once the pointer is up, because elements that move between press and release lose their click. */
export function afterPress(work: () => void): void {
  if (!isPressed) return work()
  const later = () => {
    window.removeEventListener('pointerup', later, true)
    window.removeEventListener('pointercancel', later, true)
    // The release and its click are dispatched in the same task.
    setTimeout(work)
  }
  window.addEventListener('pointerup', later, true)
  window.addEventListener('pointercancel', later, true)
}
