import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/errors.ts'
import {
  createTeamRoute,
  deleteTeamRoute,
  listTeamsRoute,
  updateTeamRoute,
} from '../../../shared/contract/teams.ts'
import type { Team } from '../../../shared/contract/teams.ts'
import {
  createUserRoute,
  deleteUserRoute,
  listUsersRoute,
  updateUserRoute,
} from '../../../shared/contract/users.ts'
import type { User } from '../../../shared/contract/users.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { listAll } from '../../api/list-all.ts'
import { createStoreHook } from '../../api/provider.tsx'

export type UserBody = Pick<User, 'name' | 'email' | 'role'>
export type TeamBody = Pick<Team, 'name' | 'user_ids'>

interface UsersState {
  readonly users: readonly User[] | null
  readonly teams: readonly Team[]
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  /** Changes the one with that id, and adds one where there is none. */
  readonly userSaved: (id: string | undefined, body: UserBody) => Promise<void>
  /** `force` deletes them although flows use auths that go with them. */
  readonly userRemoved: (id: string, force: boolean) => Promise<void>
  readonly teamSaved: (id: string | undefined, body: TeamBody) => Promise<void>
  readonly teamRemoved: (id: string) => Promise<void>
}

export function createUsersStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  return createStore<UsersState>()((set) => {
    const load = async () => {
      try {
        const [users, teams] = await Promise.all([
          listAll(api, listUsersRoute, { sort: 'name' }),
          listAll(api, listTeamsRoute, { sort: 'name' }),
        ])
        set({ users, teams, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      users: null,
      teams: [],
      failure: null,
      opened: followNouns(api, ['user', 'team'], load),
      reload: load,
      async userSaved(id, body) {
        await (id === undefined
          ? api.call(createUserRoute, { body })
          : api.call(updateUserRoute, { params: { id }, body }))
        await load()
      },
      async userRemoved(id, force) {
        await api.call(deleteUserRoute, { params: { id }, query: force ? { force: 'true' } : {} })
        await load()
      },
      async teamSaved(id, body) {
        await (id === undefined
          ? api.call(createTeamRoute, { body })
          : api.call(updateTeamRoute, { params: { id }, body }))
        await load()
      },
      async teamRemoved(id) {
        await api.call(deleteTeamRoute, { params: { id } })
        await load()
      },
    }
  })
}

export const useUsers = createStoreHook(createUsersStore)
