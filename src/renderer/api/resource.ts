import { useEffect, useMemo } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import type { AppError } from '../../shared/contract/base/errors.ts'
import type { Route, RouteRequest, RouteResult } from '../../shared/contract/base/route.ts'
import type { LiveEvent, Noun } from '../../shared/contract/host.ts'
import type { Api } from './create-api.ts'
import { asAppError } from './failure.ts'
import { listAll } from './list-all.ts'
import { mergeFirstPage, replaceItems } from '../lib/keyed-list.ts'
import { useApi } from './provider.tsx'
import { createRefresher } from './refresh.ts'

type UsedApi = Pick<Api, 'call' | 'list' | 'live'>

/** Data of Millrace that the page reads once and shares among all components that show it. */
export interface Resource<T> {
  readonly key: string
  /** Changes to these make the data outdated. */
  readonly nouns: readonly Noun[]
  /** Whether such a change makes it outdated; by default, every change does. Not called before the data was read. */
  readonly concerns?: ((event: LiveEvent, data: T) => boolean) | undefined
  readonly fetch: (api: UsedApi, signal: AbortSignal, known: Known<T>) => Promise<T>
  /** Reads the next part of the data and returns a function that adds it; null at the end. */
  readonly next?: (api: UsedApi, data: T) => Promise<(data: T) => T> | null
  /** Only one resource of a family is shown at a time; the others are removed from the cache. */
  readonly family?: string
}

interface Known<T> {
  readonly data: () => T | null
  /** IDs of the records that changed since the data was read. */
  readonly changed: ReadonlySet<string>
}

type Query = Readonly<Record<string, string | readonly string[]>>
/** A query that depends on the current time, for lists that begin a certain time ago. */
type QueryAt = (now: number) => Query

interface ResourceOptions<T> {
  readonly nouns: readonly Noun[]
  readonly concerns?: (event: LiveEvent, data: T) => boolean
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query | QueryAt
  /** Reads all pages of a list. */
  readonly all?: true
}

export function resource<R extends Route>(
  route: R,
  { nouns, concerns, params = {}, query = {}, all }: ResourceOptions<RouteResult<R>>,
): Resource<RouteResult<R>> {
  const at: QueryAt = typeof query === 'function' ? query : () => query
  return {
    key: JSON.stringify([route.method, route.path, params, at(0), all]),
    nouns,
    concerns,
    fetch: (api, signal) =>
      all === true
        ? listAll(api, route, at(Date.now()), { params, signal })
        : api.call(route, { params, query: at(Date.now()) } as RouteRequest<R>, signal),
  }
}

/** The pages of a list that were read so far. */
export interface Pages<T> {
  /** Newest first. */
  readonly items: readonly T[]
  readonly total: number | null
  /** Where the list continues; null at its end. */
  readonly after: string | null
}

type Item<R extends Route> =
  RouteResult<R> extends readonly (infer T extends { readonly id: string })[] ? T : never

const PER_PAGE = '100'

/**
 * A long list, newest first, that is read page by page. After a change, its first page is read again, and so are those
 * rows below it that changed.
 */
export function pagesOf<R extends Route>(
  route: R,
  { nouns, query }: { readonly nouns: readonly Noun[]; readonly query: QueryAt },
): Resource<Pages<Item<R>>> {
  const read = async (api: UsedApi, change: Query, signal?: AbortSignal) => {
    const asked = { ...query(Date.now()), per_page: PER_PAGE, ...change }
    const { items, ...page } = await api.list(route, { query: asked } as RouteRequest<R>, signal)
    return { ...page, items: items as readonly Item<R>[] }
  }
  return {
    key: JSON.stringify([route.method, route.path, query(0), 'pages']),
    family: route.path,
    nouns,
    async fetch(api, signal, { data, changed }) {
      const page = await read(api, {}, signal)
      const older = mergeFirstPage(data(), page).items.slice(page.items.length)
      const ids = older.flatMap(({ id }) => (changed.has(id) ? [id] : [])).slice(0, MOST_READ_AGAIN)
      const filter = [`id,in,${ids.join()}`]
      const { items: again } = ids.length === 0 ? { items: [] } : await read(api, { filter }, signal)
      return { ...replaceItems(mergeFirstPage(data(), page), ids, again), total: page.total }
    },
    next: (api, { after }) =>
      after === null
        ? null
        : read(api, { after }).then(
            (page) => (data) =>
              data.after === after
                ? { ...data, items: [...data.items, ...page.items], after: page.after }
                : data,
          ),
  }
}

const MOST_READ_AGAIN = 100

/** The state of a resource on the page. */
interface ResourceState<T> {
  /** The data that was read last, outdated or not; null before the first read. */
  readonly data: T | null
  /** The failure of the last attempt to read it. */
  readonly failure: AppError | null
  /** Reads it again. It never throws. */
  readonly reload: () => Promise<void>
  /** Reads what comes after the data. It never throws. */
  readonly more: () => Promise<void>
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
  readonly isWatched: () => boolean
}

interface Slot {
  readonly entry: Pick<CachedResource<unknown>, 'isWatched'>
  readonly family: string | undefined
}

const caches = new WeakMap<UsedApi, Map<string, Slot>>()

/** The page's only copy of a resource. */
export function cached<T>(api: UsedApi, wanted: Resource<T>): CachedResource<T> {
  const cache = caches.get(api) ?? new Map<string, Slot>()
  caches.set(api, cache)
  // The key contains the route, so the type of the data is the same.
  const known = cache.get(wanted.key)?.entry as CachedResource<T> | undefined
  if (known !== undefined) return known
  const { family } = wanted
  for (const [key, one] of cache)
    if (family !== undefined && one.family === family && !one.entry.isWatched()) cache.delete(key)
  const entry = createCached(api, wanted)
  cache.set(wanted.key, { entry, family })
  return entry
}

/** A resource for as long as the component is on the screen; null reads nothing. */
export function useResource<T>(wanted: Resource<T> | null): ResourceState<T> {
  const entry = cached(useApi(), wanted ?? nothing<T>())
  const { ids } = useStore(useApi().deletions.hidden)
  useEffect(() => entry.watch(), [entry])
  const state = useStore(entry)
  return useMemo(() => (ids.size === 0 ? state : { ...state, data: without(state.data, ids) }), [state, ids])
}

/** A list, or pages of one, without the records that are hidden. */
function without<T>(data: T, ids: ReadonlySet<string>): T {
  const isShown = (item: unknown) => !ids.has((item as { readonly id?: string } | null)?.id ?? '')
  if (Array.isArray(data)) return data.filter(isShown) as T
  const { items } = (data ?? {}) as Partial<Pages<{ readonly id: string }>>
  return Array.isArray(items) ? { ...data, items: items.filter(isShown) } : data
}

type DataOf<S> = { readonly [K in keyof S]: S[K] extends ResourceState<infer T> ? T : never }

/** Combines resources if a screen needs all of them. */
export function together<S extends Readonly<Record<string, ResourceState<unknown>>>>(states: S) {
  const all = Object.values(states)
  const entries = Object.entries(states).map(([name, { data }]) => [name, data] as const)
  return {
    data: all.some(({ data }) => data === null) ? null : (Object.fromEntries(entries) as DataOf<S>),
    failure: all.find(({ failure }) => failure !== null)?.failure ?? null,
    reload: () => void Promise.all(all.map(({ reload }) => reload())),
  }
}

const nothing = <T>(): Resource<T> => ({ key: '', nouns: [], fetch: () => new Promise(() => undefined) })

function createCached<T>(api: UsedApi, { nouns, concerns, fetch, next }: Resource<T>): CachedResource<T> {
  const changed = new Set<string>()
  let users = 0
  let isReadingOn = false
  let current: { readonly done: Promise<void>; readonly controller: AbortController } | null = null
  let unsubscribe: (() => void) | null = null

  /** A request that is under way may have missed the latest change, so its callers get the result of this one. */
  function reload(): Promise<void> {
    current?.controller.abort()
    const controller = new AbortController()
    const ids = new Set(changed)
    const done = fetch(api, controller.signal, { data: () => store.getState().data, changed: ids }).then(
      (data) => {
        for (const id of ids) changed.delete(id)
        return end(controller, { data, failure: null })
      },
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

  function onEvent(event: LiveEvent): void {
    const { data } = store.getState()
    if (event.noun !== null && data !== null && concerns?.(event, data) === false) return
    if (event.id !== null) changed.add(event.id)
    refresh()
  }

  /**
   * The next screen may show the same resource, so a pending request is only aborted once no screen is left that does.
   */
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
    async more() {
      const { data } = store.getState()
      const reading = data === null || isReadingOn ? null : (next?.(api, data) ?? null)
      if (reading === null) return
      isReadingOn = true
      try {
        const added = await reading
        store.setState((state) => (state.data === null ? {} : { data: added(state.data) }))
      } catch (error) {
        store.setState({ failure: asAppError(error) })
      } finally {
        isReadingOn = false
      }
    },
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
      unsubscribe ??= api.live.subscribe(nouns, onEvent)
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
    isWatched: () => users > 0,
  }
}
