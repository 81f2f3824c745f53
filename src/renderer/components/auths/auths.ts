import { useEffect } from 'react'
import { createStore } from 'zustand/vanilla'
import {
  authorizeConnectorAuthRoute,
  createConnectorAuthRoute,
  testConnectorAuthRoute,
  testNewConnectorAuthRoute,
  updateConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import type { ConnectorAuth, ConnectorAuthTest } from '../../../shared/contract/connector-auths.ts'
import { serverKindOf } from '../../../shared/contract/connectors.ts'
import type { LiveEvent } from '../../../shared/contract/host.ts'
import { providerOf } from '../../../shared/sign-in/index.ts'
import type { Api } from '../../api/create-api.ts'
import { AUTH_USES, CONNECTOR_AUTHS, CONNECTORS } from '../../api/lists.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import type { AuthBody } from './auth-draft.ts'

/** Stores a new auth, or changes to a stored one. */
export async function saveAuth(api: Api, id: string | undefined, body: AuthBody): Promise<ConnectorAuth> {
  const saved =
    id === undefined
      ? api.call(createConnectorAuthRoute, { body })
      : api.call(updateConnectorAuthRoute, { params: { id }, body })
  return await cached(api, CONNECTOR_AUTHS).getState().after(saved)
}

export interface AuthSheetProps {
  /** The connector of the auth, or the one initially chosen. */
  readonly connectorId: string
  /** Whether the connector can't be changed. */
  readonly connectorGiven: boolean
  /** The URL that will be called. It is used to test the auth, and gives a new auth its name and origin. */
  readonly address?: string
  /** The auth whose credentials are changed; without it, a new one is created. */
  readonly auth?: ConnectorAuth | undefined
  readonly onClose: () => void
  /** Called once the auth is stored, because it works or because the user wants it anyway. */
  readonly onReady: (auth: ConnectorAuth) => void
}

/** The call that tests an auth. */
export type AuthTestCall = { readonly action?: string; readonly url?: string }

/** Without a call, the connector's test action is called. Changes are tested and not stored. */
export async function testAuth(
  api: Api,
  id: string,
  call: AuthTestCall & { readonly changes?: AuthBody },
): Promise<ConnectorAuthTest> {
  const test = await api.call(testConnectorAuthRoute, { params: { id }, body: call })
  void cached(api, AUTH_USES).getState().reload()
  void cached(api, CONNECTOR_AUTHS).getState().reload()
  return test
}

/** Tests an auth before it is stored. */
export const testNewAuth = (api: Api, auth: AuthBody, call: AuthTestCall): Promise<ConnectorAuthTest> =>
  api.call(testNewConnectorAuthRoute, { body: { auth, ...call } })

/** A sign-in started in this page. */
type SignIn =
  | { readonly kind: 'waiting'; readonly url: string }
  /** With the result of the test call made right after it, if the connector names one. */
  | { readonly kind: 'done'; readonly test: ConnectorAuthTest | null }
  | {
      readonly kind: 'failed'
      readonly message: string
      /** The provider's message, and what to do about it. */
      readonly said: string
      readonly advice: string | null
    }
interface SignInsState {
  /** Keyed by auth ID. */
  readonly signIns: Readonly<Record<string, SignIn | undefined>>
  readonly opened: () => () => void
  /** Starts a sign-in: the URL for the browser to open, null if no sign-in is needed. */
  readonly authorize: (id: string) => Promise<{ readonly url: string | null }>
}

function createSignInsStore(api: Api) {
  return createStore<SignInsState>()((set, get) => {
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
      const auth = cached(api, CONNECTOR_AUTHS)
        .getState()
        .data?.find((one) => one.id === id)
      const connectors = cached(api, CONNECTORS).getState().data
      const connector = connectors?.find((one) => one.id === auth?.connector_id)
      if (auth === undefined || connector === undefined || providerOf(connector) === null) return
      const isServer = serverKindOf(connector.id, auth.api_endpoint) !== null
      // At another endpoint the test action doesn't exist.
      if (!isServer && (connector.test_action === null || auth.api_endpoint !== '')) return
      try {
        note(id, { kind: 'done', test: await testAuth(api, id, {}) })
      } catch {
        // The sign-in itself is done; the test can be run again on its own.
      }
    }

    return {
      signIns: {},
      opened: () => api.live.subscribe(['connector_auth'], hear),
      async authorize(id) {
        note(id, undefined)
        const begun = await api.call(authorizeConnectorAuthRoute, {
          params: { id },
          body: { origin: location.origin },
        })
        if (begun.url !== null) note(id, { kind: 'waiting', url: begun.url })
        return begun
      },
    }
  })
}

const useSignIns = createStoreHook(createSignInsStore)

/** The state of an auth's sign-in, and how to start one. */
export function useSignIn(authId: string | undefined) {
  const opened = useSignIns((state) => state.opened)
  const authorize = useSignIns((state) => state.authorize)
  const outcome = useSignIns((state) => (authId === undefined ? undefined : state.signIns[authId]))
  useEffect(() => opened(), [opened])
  return { authorize, outcome }
}
