import { createStore } from 'zustand/vanilla'
import { createStoreHook } from '../../../api/provider.tsx'
import type { TestForm } from './test-form.ts'

/** A trip from a form with pagination to the tester and back. */
export interface TesterTrip {
  /** The screen it started on: the ID of the flow or of the connector. */
  readonly from: string
  readonly kind: 'step' | 'connector'
  /** The label of the way back. */
  readonly name: string
  readonly form: Partial<TestForm>
  readonly back:
    | {
        readonly to: '/flows/$flowId'
        readonly params: { flowId: string }
        readonly search: { step: string }
      }
    | {
        readonly to: '/connectors/$connectorId'
        readonly params: { connectorId: string }
        readonly search: { view: 'paging' }
      }
  /** The unsaved state of that screen, restored when it opens again. */
  readonly kept: unknown
  /** The state to restore with this configuration. */
  readonly withConfig: (config: unknown) => unknown
}

interface TesterTripState {
  readonly trip: TesterTrip | null
  readonly begun: (trip: TesterTrip) => void
  /** The screen it started on gets this configuration. */
  readonly applied: (config: unknown) => void
  readonly ended: () => void
}

function createTesterTripStore() {
  return createStore<TesterTripState>()((set) => ({
    trip: null,
    begun: (trip) => set({ trip }),
    applied: (config) =>
      set(({ trip }) => ({ trip: trip === null ? null : { ...trip, kept: trip.withConfig(config) } })),
    ended: () => set({ trip: null }),
  }))
}

export const useTesterTrip = createStoreHook(createTesterTripStore)
