import { createStore } from 'zustand/vanilla'
import { createStoreHook } from '../../../api/provider.tsx'
import type { TestForm } from './test-form.ts'

/** From a form that pages to the tester and back. */
export interface TesterTrip {
  /** Of the screen that it began on: the id of the flow or of the connector. */
  readonly from: string
  readonly kind: 'step' | 'connector'
  /** What the way back is called. */
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
  /** What that screen holds and has not saved; it takes it back as it opens. */
  readonly kept: unknown
  /** What it is to take back with this configuration. */
  readonly withConfig: (config: unknown) => unknown
}

interface TesterTripState {
  readonly trip: TesterTrip | null
  readonly begun: (trip: TesterTrip) => void
  /** The screen that it began on gets this configuration. */
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
