import type { BrowserWindow } from 'electron'

/** Takes the page to one of its own screens, without loading it again: unsaved changes are asked about. */
export interface Opener {
  readonly open: (path: string) => void
  /** The path that waits for a page that is only now being loaded, once. */
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
