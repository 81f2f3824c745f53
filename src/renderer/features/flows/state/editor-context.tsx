import { createContext, use } from 'react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import type { Plugins } from '../../../components/plugins/plugin-parts.ts'
import type { AssistState, createAssistStore } from './assist-store.ts'
import type { EditorState, EditorStore } from './editor-store.ts'
import type { ProblemsStore } from './problems-store.ts'
import type { createRunPanelStore } from './run-panel-store.ts'

type RunPanelStore = ReturnType<typeof createRunPanelStore>

export interface Stores {
  readonly editor: EditorStore
  readonly panel: RunPanelStore
  readonly assist: ReturnType<typeof createAssistStore>
  readonly problems: ProblemsStore
}

const StoresContext = createContext<Stores | null>(null)
const PluginsContext = createContext<Plugins>(null)

/** The stores of the open flow, for every part of its editor. */
export function EditorProvider({
  stores,
  plugins,
  children,
}: {
  readonly stores: Stores
  readonly plugins: Plugins
  readonly children: ReactNode
}) {
  return (
    <StoresContext value={stores}>
      <PluginsContext value={plugins}>{children}</PluginsContext>
    </StoresContext>
  )
}

export function useEditor<T>(selector: (state: EditorState) => T): T {
  return useStore(useStores().editor, selector)
}

export function useRunPanel<T>(selector: (state: ReturnType<RunPanelStore['getState']>) => T): T {
  return useStore(useStores().panel, selector)
}

export function useAssist<T>(selector: (state: AssistState) => T): T {
  return useStore(useStores().assist, selector)
}

export function useProblems<T>(selector: (state: ReturnType<ProblemsStore['getState']>) => T): T {
  return useStore(useStores().problems, selector)
}

export function usePlugins(): Plugins {
  return use(PluginsContext)
}

export function useStores(): Stores {
  const stores = use(StoresContext)
  if (stores === null) throw new Error('No EditorProvider above this component')
  return stores
}
