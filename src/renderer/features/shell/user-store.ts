import { createStore } from 'zustand/vanilla'
import { listUsersRoute, readOwnUserRoute } from '../../../shared/contract/users.ts'
import type { User } from '../../../shared/contract/users.ts'
import type { Api } from '../../api/create-api.ts'
import { followNouns } from '../../api/follow.ts'
import { listAll } from '../../api/list-all.ts'
import { createStoreHook } from '../../api/provider.tsx'

interface UserState {
  /** The user for whom the page reads and changes everything; null until it is known. */
  readonly user: User | null
  readonly users: readonly User[]
  /** Whether that is somebody other than the user of this machine. */
  readonly isActing: boolean
  readonly opened: () => () => void
  readonly actAs: (userId: string) => void
  readonly stopActing: () => void
}

type UsedApi = Pick<Api, 'call' | 'list' | 'live' | 'actingAs' | 'actAs' | 'may'>

export function createUserStore(api: UsedApi) {
  return createStore<UserState>()((set) => ({
    user: null,
    users: [],
    isActing: api.actingAs() !== null,
    opened: followNouns(api, ['user'], async () => {
      try {
        const [user, users] = await Promise.all([
          api.call(readOwnUserRoute),
          api.may('users', 'read') ? listAll(api, listUsersRoute, { sort: 'name' }) : [],
        ])
        set({ user, users })
      } catch {
        // The status bar already says that the program doesn't respond.
      }
    }),
    actAs: (userId) => api.actAs(userId),
    stopActing: () => api.actAs(null),
  }))
}

export const useUser = createStoreHook(createUserStore)
