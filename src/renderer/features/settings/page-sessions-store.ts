import { createStore } from 'zustand/vanilla'
import {
  endPageSessionRoute,
  listPageSessionsRoute,
  type PageSession,
} from '../../../shared/contract/page-sessions.ts'
import type { Api } from '../../api/create-api.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface PageSessionsState {
  /** Empty while loading, since most people have none. */
  readonly sessions: readonly PageSession[]
  readonly opened: () => () => void
  readonly ended: (id: string) => Promise<void>
}

export function createPageSessionsStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<PageSessionsState>()((set) => {
    const load = () =>
      api.call(listPageSessionsRoute).then(
        (sessions) => set({ sessions }),
        () => undefined, // The status bar already says that the program doesn't respond.
      )
    return {
      sessions: [],
      opened: followNouns(api, ['page_session', 'token'], load),
      async ended(id) {
        await api.call(endPageSessionRoute, { params: { id } })
        set(({ sessions }) => ({ sessions: sessions.filter((session) => session.id !== id) }))
      },
    }
  })
}

export const usePageSessions = createStoreHook(createPageSessionsStore)
