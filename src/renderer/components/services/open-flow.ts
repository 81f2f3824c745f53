import { useEffect } from 'react'
import { createStore } from 'zustand/vanilla'
import type { Addition } from './catalogue.ts'

interface OpenFlow {
  /** Whether the next step would be the first one, which can be a trigger. */
  readonly isEmpty: boolean
  readonly add: (added: Addition) => void
}

/** The flow that is being edited, to which the search of all screens can add steps; null if there is none. */
export const openFlow = createStore<{ readonly flow: OpenFlow | null }>()(() => ({ flow: null }))

/** Lets the search of all screens add steps to the flow, as long as the component is on the screen. */
export function useAdding({ isEmpty, add }: OpenFlow): void {
  useEffect(() => {
    const flow = { isEmpty, add }
    openFlow.setState({ flow })
    return () => openFlow.setState((state) => (state.flow === flow ? { flow: null } : state))
  }, [isEmpty, add])
}
