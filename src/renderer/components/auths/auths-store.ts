import { createStore } from 'zustand/vanilla'
import {
  authorizeConnectorAuthRoute,
  createConnectorAuthRoute,
  deleteConnectorAuthRoute,
  listConnectorAuthFlowsRoute,
  listConnectorAuthsRoute,
  listConnectorAuthUsesRoute,
  testConnectorAuthRoute,
  updateConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import type {
  ConnectorAuth,
  ConnectorAuthTest,
  ConnectorAuthUse,
} from '../../../shared/contract/connector-auths.ts'
import { listActionsRoute, listConnectorsRoute, serverKindOf } from '../../../shared/contract/connectors.ts'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { providerOf } from '../../../shared/sign-in/index.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { LiveEvent } from '../../../shared/contract/host.ts'
import { listTeamsRoute } from '../../../shared/contract/teams.ts'
import type { Team } from '../../../shared/contract/teams.ts'
import { listUsersRoute } from '../../../shared/contract/users.ts'
import type { User } from '../../../shared/contract/users.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { listAll } from '../../api/list-all.ts'
import { createStoreHook } from '../../api/provider.tsx'
import type { AuthBody } from './auth-draft.ts'

/** A sign-in started in this page. */
type SignIn =
  | { readonly kind: 'waiting'; readonly url: string }
  /** With a call that was made right after it, if the connector names one. */
  | { readonly kind: 'done'; readonly test: ConnectorAuthTest | null }
  | {
      readonly kind: 'failed'
      readonly message: string
      /** What the provider said, and what to do about it. */
      readonly said: string
      readonly advice: string | null
    }
/** What is called to test an auth. */
export type AuthTestCall = { readonly action?: string; readonly url?: string }
type Use = { readonly id: string; readonly name: string }

interface AuthsState {
  readonly auths: readonly ConnectorAuth[] | null
  readonly connectors: readonly Connector[]
  readonly users: readonly User[]
  readonly teams: readonly Team[]
  /** When each was used and tested, and where, by auth. */
  readonly notedUses: ReadonlyMap<string, ConnectorAuthUse>
  /** By auth. */
  readonly signIns: Readonly<Record<string, SignIn | undefined>>
  readonly uses: Readonly<Record<string, readonly Use[] | undefined>>
  readonly failure: AppError | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  /** The uses of an auth are on the screen. */
  readonly usesShown: (authId: string) => () => void
  /** Starts a sign-in: the URL for the browser to open, null if no sign-in is needed. */
  readonly authorize: (id: string) => Promise<{ readonly url: string | null }>
  /** Without a call, the connector's test action is called. Changes are tested and not stored. */
  readonly test: (
    id: string,
    call: AuthTestCall & { readonly changes?: AuthBody },
  ) => Promise<ConnectorAuthTest>
  /** Actions that can test an auth, by connector. */
  readonly actions: Readonly<Record<string, readonly Action[] | undefined>>
  readonly actionsShown: (connectorId: string) => () => void
  readonly create: (body: AuthBody) => Promise<ConnectorAuth>
  readonly update: (id: string, body: Partial<AuthBody>) => Promise<ConnectorAuth>
  /** `force` deletes it even if flows use it. */
  readonly remove: (id: string, force: boolean) => Promise<void>
}

export function createAuthsStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  return createStore<AuthsState>()((set, get) => {
    const openLists = followNouns(api, ['connector_auth', 'connector', 'user', 'team', 'flow'], () => load())

    const load = async () => {
      try {
        const [auths, connectors, users, teams, noted] = await Promise.all([
          api.call(listConnectorAuthsRoute, {}),
          api.call(listConnectorsRoute, { query: { sort: 'name' } }),
          listAll(api, listUsersRoute, { sort: 'name' }),
          listAll(api, listTeamsRoute, { sort: 'name' }),
          api.call(listConnectorAuthUsesRoute),
        ])
        const notedUses = new Map(noted.map((use) => [use.auth_id, use]))
        set({ auths, connectors, users, teams, notedUses, failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    function note(id: string, signIn: SignIn | undefined): void {
      set(({ signIns }) => ({ signIns: { ...signIns, [id]: signIn } }))
    }

    function hear({ id, sign_in: outcome, message, said, advice }: LiveEvent): void {
      if (id === null) return
      if (outcome === 'failed') {
        const known = typeof advice === 'string' ? advice : null
        note(id, { kind: 'failed', message: String(message), said: String(said), advice: known })
      }
      if (outcome !== 'done') return
      const isOwn = get().signIns[id]?.kind === 'waiting'
      note(id, { kind: 'done', test: null })
      if (isOwn) void tryOut(id)
    }

    /** Shows who is signed in, and whether the API can be used. */
    async function tryOut(id: string): Promise<void> {
      const { auths, connectors } = get()
      const auth = auths?.find((one) => one.id === id)
      const connector = connectors.find((one) => one.id === auth?.connector_id)
      if (auth === undefined || connector === undefined || providerOf(connector) === null) return
      const isServer = serverKindOf(connector.id, auth.api_endpoint) !== null
      // Elsewhere the action doesn't exist.
      if (!isServer && (connector.test_action === null || auth.api_endpoint !== '')) return
      try {
        note(id, { kind: 'done', test: await api.call(testConnectorAuthRoute, { params: { id }, body: {} }) })
      } catch {
        // The sign-in itself is done; the test can be run again on its own.
      }
    }

    return {
      auths: null,
      connectors: [],
      users: [],
      teams: [],
      notedUses: new Map(),
      signIns: {},
      uses: {},
      failure: null,
      opened() {
        const closeLists = openLists()
        const stopHearing = api.live.subscribe(['connector_auth'], hear)
        return () => {
          closeLists()
          stopHearing()
        }
      },
      usesShown: (authId) =>
        followNouns(api, ['flow'], async () => {
          try {
            const flows = await api.call(listConnectorAuthFlowsRoute, { params: { id: authId } })
            set(({ uses }) => ({ uses: { ...uses, [authId]: flows } }))
          } catch {
            // The auth is gone; its page says so.
          }
        })(),
      async authorize(id) {
        note(id, undefined)
        const begun = await api.call(authorizeConnectorAuthRoute, {
          params: { id },
          body: { origin: location.origin },
        })
        if (begun.url !== null) note(id, { kind: 'waiting', url: begun.url })
        return begun
      },
      async test(id, call) {
        const result = await api.call(testConnectorAuthRoute, { params: { id }, body: call })
        void load()
        return result
      },
      actions: {},
      actionsShown: (connectorId) =>
        followNouns(api, ['connector_action'], async () => {
          const filter = `connector_id,eq,${connectorId}`
          const actions = await listAll(api, listActionsRoute, { filter, sort: 'title' }).catch(() => null)
          if (actions !== null) set((state) => ({ actions: { ...state.actions, [connectorId]: actions } }))
        })(),
      reload: load,
      async create(body) {
        const auth = await api.call(createConnectorAuthRoute, { body })
        await load()
        return auth
      },
      async update(id, body) {
        const auth = await api.call(updateConnectorAuthRoute, { params: { id }, body })
        await load()
        return auth
      },
      async remove(id, force) {
        const query = force ? { force: 'true' as const } : {}
        await api.call(deleteConnectorAuthRoute, { params: { id }, query })
        set(({ auths }) => ({ auths: auths?.filter((auth) => auth.id !== id) ?? null }))
      },
    }
  })
}

export const useAuths = createStoreHook(createAuthsStore)
