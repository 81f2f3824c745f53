import { createContext, use } from 'react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import type { EditorState, EditorStore } from './editor-store.ts'
import type { createRunPanelStore } from './run-panel-store.ts'

type RunPanelStore = ReturnType<typeof createRunPanelStore>

interface Stores {
  readonly editor: EditorStore
  readonly panel: RunPanelStore
}

const StoresContext = createContext<Stores | null>(null)

/** The stores of the flow that is open, for every part of its editor. */
export function EditorProvider({
  stores,
  children,
}: {
  readonly stores: Stores
  readonly children: ReactNode
}) {
  return <StoresContext value={stores}>{children}</StoresContext>
}

export function useEditor<T>(selector: (state: EditorState) => T): T {
  return useStore(useStores().editor, selector)
}

export function useRunPanel<T>(selector: (state: ReturnType<RunPanelStore['getState']>) => T): T {
  return useStore(useStores().panel, selector)
}

function useStores(): Stores {
  const stores = use(StoresContext)
  if (stores === null) throw new Error('No EditorProvider above this component')
  return stores
}
