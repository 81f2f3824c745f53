import { createContext, use, useState } from 'react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'
import type { Api } from './create-api.ts'

/** What every screen below may ask for: the api, and the stores that outlive a screen. */
export function ApiProvider({ api, children }: { readonly api: Api; readonly children: ReactNode }) {
  const [shared] = useState(() => ({ api, stores: new Map<unknown, unknown>() }))
  return <SharedContext value={shared}>{children}</SharedContext>
}

export function useApi(): Api {
  return useShared().api
}

/**
 * A hook that reads a store with a selector. The store is made from its factory on first use and kept as long as the
 * page, so that a list shows what it last knew at once when its screen opens again.
 */
export function createStoreHook<S>(factory: (api: Api) => StoreApi<S>) {
  return function useFeatureStore<T>(selector: (state: S) => T): T {
    const { api, stores } = useShared()
    const known = stores.get(factory) as StoreApi<S> | undefined
    const store = known ?? factory(api)
    if (known === undefined) stores.set(factory, store)
    return useStore(store, selector)
  }
}

const SharedContext = createContext<{ api: Api; stores: Map<unknown, unknown> } | null>(null)

function useShared() {
  const shared = use(SharedContext)
  if (shared === null) throw new Error('No ApiProvider above this component')
  return shared
}
