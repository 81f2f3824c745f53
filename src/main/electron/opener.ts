import type { BrowserWindow } from 'electron'

/** Navigates the page to a screen without reloading it, so that the user is asked about unsaved changes. */
export interface Opener {
  readonly open: (path: string) => void
  /** Returns the path for a page that is still loading, once. */
  readonly takePending: () => string | null
  watch(window: BrowserWindow): void
}

export function createOpener(show: () => void): Opener {
  let pending: string | null = null
  let window: BrowserWindow | null = null
  let listens = false

  return {
    open(path) {
      show()
      if (listens && window !== null && !window.isDestroyed()) window.webContents.send('desktop:open', path)
      else pending = path
    },
    takePending() {
      listens = true
      const path = pending
      pending = null
      return path
    },
    watch(opened) {
      window = opened
      opened.webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
        if (isMainFrame && !isSameDocument) listens = false
      })
    },
  }
}
