import { createStore } from 'zustand/vanilla'
import { createStoreHook } from '../../../api/provider.tsx'
import type { Topic } from './topic.ts'

interface HelpState {
  /** What help is open about; null while it is closed. */
  readonly topic: Topic | null
  readonly opened: (topic: Topic) => void
  readonly closed: () => void
}

function createHelpStore() {
  return createStore<HelpState>()((set) => ({
    topic: null,
    opened: (topic) => set({ topic }),
    closed: () => set({ topic: null }),
  }))
}

export const useHelpStore = createStoreHook(createHelpStore)
