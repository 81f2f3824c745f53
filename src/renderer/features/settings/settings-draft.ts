import { createStore } from 'zustand/vanilla'
import type { Settings } from '../../../shared/contract/settings.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface SettingsDraftState {
  /** Unsaved input. It survives a change of the language, which renders the form again. */
  readonly changes: Partial<Settings>
  readonly changed: (patch: Partial<Settings>) => void
  readonly saved: () => void
}

export const useSettingsDraft = createStoreHook(() =>
  createStore<SettingsDraftState>()((set) => ({
    changes: {},
    changed: (patch) => set(({ changes }) => ({ changes: { ...changes, ...patch } })),
    saved: () => set({ changes: {} }),
  })),
)
