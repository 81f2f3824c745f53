import { createContext, use, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import type { StoreApi } from 'zustand/vanilla'
import type { Api } from './create-api.ts'

/** Provides every screen with the API, and with the stores that outlive a screen. */
export function ApiProvider({ api, children }: { readonly api: Api; readonly children: ReactNode }) {
  const [shared] = useState<Shared>(() => ({ api, stores: new Map() }))
  return <SharedContext value={shared}>{children}</SharedContext>
}

export function useApi(): Api {
  return useShared().api
}

/** Null before anybody is signed in. */
export function useApiIfAny(): Api | null {
  return use(SharedContext)?.api ?? null
}

/**
 * A hook that reads a store with a selector. The store is created by its factory on first use and kept as long as the
 * page, so that a list shows its last known state at once when its screen opens again.
 */
export function createStoreHook<S>(factory: (api: Api) => StoreApi<S>) {
  return function useFeatureStore<T>(selector: (state: S) => T): T {
    const { api, stores, own } = useShared()
    const known = (own?.factory === factory ? own.store : stores.get(factory)) as StoreApi<S> | undefined
    const store = known ?? factory(api)
    if (known === undefined) stores.set(factory, store)
    return useStore(store, selector)
  }
}

interface OwnStoreProps<S> {
  readonly factory: (api: Api) => StoreApi<S>
  readonly store: StoreApi<S>
  readonly children: ReactNode
}

/** Gives the components below it their own store from the factory, instead of the page's. */
export function OwnStore<S>({ factory, store, children }: OwnStoreProps<S>) {
  const { api, stores } = useShared()
  const shared = useMemo(() => ({ api, stores, own: { factory, store } }), [api, stores, factory, store])
  return <SharedContext value={shared}>{children}</SharedContext>
}

interface Shared {
  readonly api: Api
  readonly stores: Map<unknown, unknown>
  readonly own?: { readonly factory: unknown; readonly store: unknown }
}

const SharedContext = createContext<Shared | null>(null)

function useShared() {
  const shared = use(SharedContext)
  if (shared === null) throw new Error('No ApiProvider above this component')
  return shared
}
