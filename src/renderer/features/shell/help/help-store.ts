import { createStore } from 'zustand/vanilla'
import { createStoreHook } from '../../../api/provider.tsx'
import { recall, remember } from '../../../lib/remembered.ts'
import type { Topic } from './content/help.ts'

/** The list of all documents. */
export const HELP_INDEX: Topic = { doc: 'README' }

/** In a narrower window, help would take up too much of the screen, so it covers a part of it until it is closed. */
export const BESIDE_FROM = 1280

interface Opening {
  /** A document instead of the help for the screen. */
  readonly reading?: Topic
  /** All shortcuts, not only the screen's own. */
  readonly allKeys?: boolean
}

interface HelpState {
  readonly open: boolean
  /** The dialog that it is shown in; null if it is next to the screen. */
  readonly dialog: HTMLElement | null
  readonly reading: Topic | null
  readonly allKeys: boolean
  /** Incremented each time help is opened, which moves the focus there. */
  readonly asked: number
  readonly opened: (what?: Opening, dialog?: HTMLElement | null) => void
  readonly read: (topic: Topic | null) => void
  /** Closes it, also for the next start of the app, unless the window only became too narrow. */
  readonly closed: (forNow?: 'for now') => void
}

function createHelpStore() {
  return createStore<HelpState>()((set, get) => ({
    open: recall('help') === 'open' && window.innerWidth >= BESIDE_FROM,
    dialog: null,
    reading: null,
    allKeys: false,
    asked: 0,
    opened({ reading, allKeys = false } = {}, dialog = null) {
      if (dialog === null) remember('help', 'open')
      set({ open: true, dialog, reading: reading ?? null, allKeys, asked: get().asked + 1 })
    },
    read: (reading) => set({ reading }),
    closed(forNow) {
      // If help was open next to the screen before a dialog showed it, it stays open.
      if (get().dialog === null && forNow === undefined) remember('help', 'closed')
      set({ open: get().dialog !== null && recall('help') === 'open', dialog: null, reading: null })
    },
  }))
}

export const useHelpStore = createStoreHook(createHelpStore)
