import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import {
  type RemoteSearchBody,
  type SearchChoice,
  searchConnectorRoute,
} from '../../../shared/contract/connectors.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError, isAbort } from '../../api/failure.ts'

type Place = Omit<RemoteSearchBody, 'q' | 'after' | 'limit' | 'values'> & {
  readonly connectorId: string
}

/** Where to request choices, or why that isn't possible. */
export type LookupTarget = { readonly place: Place } | { readonly problem: string }

interface LookupState {
  readonly choices: readonly SearchChoice[]
  readonly status: 'idle' | 'loading' | 'ready' | 'failed'
  readonly failure: AppError | null
  /** Whether more choices follow. */
  readonly hasMore: boolean
  /** Called when the list is opened or text is typed in it. */
  readonly asked: (place: Place, q: string) => void
  /** Called when the end of the list is near. */
  readonly endReached: () => void
  readonly closed: () => void
}

const PER_READ = 50
/** Typing is considered finished when no key was pressed for this long. */
const PAUSE_MS = 250

/** The choices of one field, read page by page. */
export function createLookupStore(api: Pick<Api, 'call'>) {
  let current: { readonly place: Place; readonly q: string; readonly abort: AbortController } | null = null
  let pause: ReturnType<typeof setTimeout> | undefined

  return createStore<LookupState>()((set, get) => {
    async function read(): Promise<void> {
      const asked = current
      if (asked === null) return
      const { place, q, abort } = asked
      const { connectorId, ...body } = place
      const known = get().choices
      set({ status: 'loading', failure: null })
      try {
        const found = await api.call(
          searchConnectorRoute,
          { params: { id: connectorId }, body: { ...body, q, after: known.length, limit: PER_READ } },
          abort.signal,
        )
        if (current !== asked) return
        set({ choices: [...known, ...found], status: 'ready', hasMore: found.length === PER_READ })
      } catch (error) {
        if (current === asked && !isAbort(error))
          set({ status: 'failed', failure: asAppError(error), hasMore: false })
      }
    }

    function stop(): void {
      clearTimeout(pause)
      current?.abort.abort()
      current = null
    }

    return {
      choices: [],
      status: 'idle',
      failure: null,
      hasMore: false,
      asked(place, q) {
        const isSearch = current !== null
        stop()
        current = { place, q, abort: new AbortController() }
        set({ choices: [], status: 'loading', failure: null, hasMore: false })
        if (isSearch) pause = setTimeout(() => void read(), PAUSE_MS)
        else void read()
      },
      endReached() {
        if (get().status === 'ready' && get().hasMore) void read()
      },
      closed() {
        stop()
        set({ choices: [], status: get().failure === null ? 'idle' : 'failed', hasMore: false })
      },
    }
  })
}
