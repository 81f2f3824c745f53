/** Small things the page remembers of its own looks, in this browser alone; where storage is off, it forgets. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`millrace.${key}`, value)
  } catch {
    // Nothing depends on it.
  }
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`millrace.${key}`)
  } catch {
    return null
  }
}
