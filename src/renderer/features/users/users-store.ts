import { createStore } from 'zustand/vanilla'
import { listConnectorAuthsRoute } from '../../../shared/contract/connector-auths.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import {
  createTeamRoute,
  deleteTeamRoute,
  listTeamsRoute,
  updateTeamRoute,
} from '../../../shared/contract/teams.ts'
import type { Team } from '../../../shared/contract/teams.ts'
import { listTokensRoute } from '../../../shared/contract/tokens.ts'
import {
  createUserRoute,
  deleteUserRoute,
  listUsersRoute,
  readOwnUserRoute,
  updateUserRoute,
} from '../../../shared/contract/users.ts'
import type { User } from '../../../shared/contract/users.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { listAll } from '../../api/list-all.ts'
import { createStoreHook } from '../../api/provider.tsx'

export type UserBody = Pick<User, 'name' | 'email'>
export type TeamBody = Pick<Team, 'name' | 'user_ids'>

export interface Belongings {
  readonly tokens: number
  /** Names of the auths that nobody else can see. */
  readonly lonelyAuths: readonly string[]
}

interface UsersState {
  /** The user the page acts as; null until it is known. */
  readonly ownId: string | null
  readonly users: readonly User[] | null
  readonly teams: readonly Team[]
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  /** Changes the one with that ID, or adds one if there is none. */
  readonly userSaved: (id: string | undefined, body: UserBody) => Promise<void>
  /** `force` deletes them even if flows use auths that are deleted with them. */
  readonly userRemoved: (id: string, force: boolean) => Promise<void>
  /** What is deleted with them. */
  readonly belongingsOf: (id: string) => Promise<Belongings>
  readonly actAs: (id: string) => void
  readonly teamSaved: (id: string | undefined, body: TeamBody) => Promise<void>
  readonly teamRemoved: (id: string) => Promise<void>
}

export function createUsersStore(api: Pick<Api, 'call' | 'list' | 'live' | 'as' | 'actAs'>) {
  return createStore<UsersState>()((set) => {
    const load = async () => {
      try {
        const [own, users, teams] = await Promise.all([
          api.call(readOwnUserRoute),
          listAll(api, listUsersRoute, { sort: 'name' }),
          listAll(api, listTeamsRoute, { sort: 'name' }),
        ])
        set({ ownId: own.id, users, teams, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      ownId: null,
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
      async belongingsOf(id) {
        const theirs = api.as(id)
        const [tokens, auths] = await Promise.all([
          theirs.call(listTokensRoute),
          theirs.call(listConnectorAuthsRoute),
        ])
        const lonely = auths.filter(
          ({ access: { visibility, user_ids: sharedWith } }) =>
            visibility === 'private' || (visibility === 'selected' && sharedWith.length === 0),
        )
        return { tokens: tokens.length, lonelyAuths: lonely.map(({ name }) => name) }
      },
      actAs: (id) => api.actAs(id),
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
