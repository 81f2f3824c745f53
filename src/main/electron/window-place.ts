import { type BrowserWindow, type Rectangle, screen } from 'electron'
import type { Preferences, PreferencesFile } from './preferences.ts'

const DEFAULT_SIZE = { width: 1280, height: 820 }
export const LEAST_SIZE = { minWidth: 640, minHeight: 480 }

/** The part of the window's upper edge that must be on a screen, so that the window can be moved. */
const GRIP = { width: 120, height: 40 }

/** The remembered place, if its screen still exists; otherwise the system chooses one. */
export function placeOf(
  remembered: Preferences['window'],
  displays: readonly { readonly workArea: Rectangle }[],
): Partial<Rectangle> {
  if (remembered === null) return DEFAULT_SIZE
  const { bounds } = remembered
  const edge = { ...bounds, height: GRIP.height }
  const isReachable = displays.some(({ workArea }) => {
    const common = overlap(edge, workArea)
    return common.width >= Math.min(GRIP.width, bounds.width) && common.height >= GRIP.height / 2
  })
  return isReachable ? bounds : { width: bounds.width, height: bounds.height }
}

function overlap(a: Rectangle, b: Rectangle): { width: number; height: number } {
  return {
    width: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x),
    height: Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y),
  }
}

export function restorePlace({ current }: Pick<PreferencesFile, 'current'>): Partial<Rectangle> {
  return placeOf(current().window, screen.getAllDisplays())
}

/** Stores the place shortly after each change, because a program that is killed can't do that at its end. */
export function rememberPlace(window: BrowserWindow, preferences: PreferencesFile): void {
  let timer: NodeJS.Timeout | undefined
  const store = () => {
    clearTimeout(timer)
    timer = undefined
    if (window.isDestroyed()) return
    // The bounds before it was maximized, minimized or made full-screen.
    preferences.set({ window: { bounds: window.getNormalBounds(), maximized: window.isMaximized() } })
  }
  const soon = () => {
    timer ??= setTimeout(store, STORE_AFTER_MS).unref()
  }
  window.on('resize', soon)
  window.on('move', soon)
  window.on('maximize', soon)
  window.on('unmaximize', soon)
  window.on('close', store)
}

const STORE_AFTER_MS = 500
