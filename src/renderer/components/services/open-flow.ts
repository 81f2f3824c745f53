import { useEffect } from 'react'
import { createStore } from 'zustand/vanilla'
import type { Addition } from './catalogue.ts'

interface OpenFlow {
  /** Where the next step would go is the beginning: it can be a trigger. */
  readonly isEmpty: boolean
  readonly add: (added: Addition) => void
}

/** The flow that is being edited, to which the search of all screens can add steps; null if there is none. */
export const openFlow = createStore<{ readonly flow: OpenFlow | null }>()(() => ({ flow: null }))

/** Steps found by the search of all screens are added by this, as long as the component is on the screen. */
export function useAdding({ isEmpty, add }: OpenFlow): void {
  useEffect(() => {
    const flow = { isEmpty, add }
    openFlow.setState({ flow })
    return () => openFlow.setState((state) => (state.flow === flow ? { flow: null } : state))
  }, [isEmpty, add])
}
