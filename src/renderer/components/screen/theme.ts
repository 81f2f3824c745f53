import { THEMES } from '../../../shared/contract/settings.ts'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { recall, remember } from '../../lib/remembered.ts'

export type Theme = (typeof THEMES)[number]

const chosen = createStore<{ theme: Theme }>(() => ({ theme: readTheme(recall('theme')) }))

/** The page follows at once; the color tokens depend on `color-scheme`. */
export function setTheme(theme: Theme): void {
  chosen.setState({ theme })
  remember('theme', theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function useTheme(): Theme {
  return useStore(chosen, (state) => state.theme)
}

function readTheme(value: string | null): Theme {
  return THEMES.find((theme) => theme === value) ?? 'system'
}
