/** Small preferences of the page, remembered only in this browser; if storage is off, they are forgotten. */
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
