import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import type { AppError } from '../../shared/contract/base/errors.ts'
import type { Route, RouteRequest, RouteResult } from '../../shared/contract/base/route.ts'
import type { Noun } from '../../shared/contract/host.ts'
import type { Api } from './create-api.ts'
import { asAppError } from './failure.ts'
import { listAll } from './list-all.ts'
import { useApi } from './provider.tsx'
import { createRefresher } from './refresh.ts'

type UsedApi = Pick<Api, 'call' | 'live'>

/** Something the program has, which the page reads once and shares among all that show it. */
export interface Resource<T> {
  readonly key: string
  /** Changes of these make it outdated. */
  readonly nouns: readonly Noun[]
  readonly fetch: (api: UsedApi, signal: AbortSignal) => Promise<T>
}

interface ResourceOptions {
  readonly nouns: readonly Noun[]
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Reads all pages of a list. */
  readonly all?: true
}

export function resource<R extends Route>(
  route: R,
  { nouns, params = {}, query = {}, all }: ResourceOptions,
): Resource<RouteResult<R>> {
  return {
    key: JSON.stringify([route.method, route.path, params, query, all]),
    nouns,
    fetch: (api, signal) =>
      all === true
        ? listAll(api, route, query, { params, signal })
        : api.call(route, { params, query } as RouteRequest<R>, signal),
  }
}

/** A resource as the page knows it. */
interface ResourceState<T> {
  /** The last that was read, outdated or not; null until then. */
  readonly data: T | null
  /** Of the last attempt to read it. */
  readonly failure: AppError | null
  /** Reads it again. It never throws. */
  readonly reload: () => Promise<void>
  /** Waits for a change, then reloads the resource. Rejects if the change rejects. */
  readonly after: <C>(change: Promise<C>) => Promise<C>
}

interface CachedResource<T> extends StoreApi<ResourceState<T>> {
  /** Reads it now and whenever it changes, until the returned function is called. */
  readonly watch: () => () => void
  /**
   * The current data, from a request that is already under way if there is one.
   *
   * @throws AppError if it can't be read
   */
  readonly read: () => Promise<T>
}

const caches = new WeakMap<UsedApi, Map<string, unknown>>()

/** The page's only copy of a resource. */
export function cached<T>(api: UsedApi, wanted: Resource<T>): CachedResource<T> {
  const cache = caches.get(api) ?? new Map<string, unknown>()
  caches.set(api, cache)
  // A key names the route, which has one type of result.
  const entry = (cache.get(wanted.key) as CachedResource<T> | undefined) ?? createCached(api, wanted)
  cache.set(wanted.key, entry)
  return entry
}

/** A resource for as long as the component is on the screen; null reads nothing. */
export function useResource<T>(wanted: Resource<T> | null): ResourceState<T> {
  const entry = cached(useApi(), wanted ?? (NOTHING as Resource<T>))
  useEffect(() => entry.watch(), [entry])
  return useStore(entry)
}

const NOTHING: Resource<never> = { key: '', nouns: [], fetch: () => new Promise(() => undefined) }

function createCached<T>(api: UsedApi, { nouns, fetch }: Resource<T>): CachedResource<T> {
  let users = 0
  let current: { readonly done: Promise<void>; readonly controller: AbortController } | null = null
  let unsubscribe: (() => void) | null = null

  /** A request under way may have missed the change that this one is for: its callers get the result of this one. */
  function reload(): Promise<void> {
    current?.controller.abort()
    const controller = new AbortController()
    const done = fetch(api, controller.signal).then(
      (data) => end(controller, { data, failure: null }),
      (error: unknown) => end(controller, { failure: asAppError(error) }),
    )
    current = { done, controller }
    return done
  }

  async function end(controller: AbortController, outcome: Partial<ResourceState<T>>): Promise<void> {
    if (current?.controller !== controller) return await current?.done
    current = null
    store.setState(outcome)
  }

  const refresh = createRefresher(async () => {
    if (users > 0) await reload()
  })

  /** The next screen may show the same resource, so a pending request is only aborted once no screen is left that does. */
  function release(): void {
    users -= 1
    queueMicrotask(() => {
      if (users > 0) return
      unsubscribe?.()
      unsubscribe = null
      current?.controller.abort()
      current = null
    })
  }

  const store = createStore<ResourceState<T>>()(() => ({
    data: null,
    failure: null,
    reload,
    async after(change) {
      const result = await change
      await reload()
      return result
    },
  }))

  return {
    ...store,
    watch() {
      users += 1
      unsubscribe ??= api.live.subscribe(nouns, refresh)
      if (current === null) {
        if (store.getState().data === null) void reload()
        else refresh()
      }
      return release
    },
    async read() {
      users += 1
      try {
        await (current?.done ?? reload())
        const { data, failure } = store.getState()
        if (failure !== null) throw failure
        return data as T
      } finally {
        release()
      }
    },
  }
}
