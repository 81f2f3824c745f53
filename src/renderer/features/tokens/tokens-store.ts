import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import {
  checkTokenRoute,
  createTokenRoute,
  listTokensRoute,
  regenerateTokenRoute,
  revokeTokenRoute,
} from '../../../shared/contract/tokens.ts'
import type { IssuedToken, Token, TokenCheck } from '../../../shared/contract/tokens.ts'
import type { Api } from '../../api/create-api.ts'
import { asAppError } from '../../api/failure.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'

export interface TokenDraft {
  /** Days from now; null never expires. */
  readonly expiration: number | null
  readonly note: string
  readonly scopes: string[]
}

interface TokensState {
  readonly tokens: readonly Token[] | null
  readonly failure: AppError | null
  /** Shown once, and forgotten when its dialog closes. */
  readonly issued: IssuedToken | null
  readonly opened: () => () => void
  readonly reload: () => Promise<void>
  readonly create: (draft: TokenDraft) => Promise<void>
  readonly regenerate: (id: string, expiration: number | null) => Promise<void>
  readonly revoke: (id: string) => Promise<void>
  /** What a value is; it isn't stored. */
  readonly check: (value: string) => Promise<TokenCheck>
  readonly dismissIssued: () => void
}

export function createTokensStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<TokensState>()((set) => {
    const load = async () => {
      try {
        set({ tokens: await api.call(listTokensRoute), failure: null })
      } catch (error) {
        set({ failure: asAppError(error) })
      }
    }

    return {
      tokens: null,
      failure: null,
      issued: null,
      opened: followNouns(api, ['token'], load),
      reload: load,
      async create(draft) {
        set({ issued: await api.call(createTokenRoute, { body: draft }) })
        await load()
      },
      async regenerate(id, expiration) {
        set({ issued: await api.call(regenerateTokenRoute, { params: { id }, body: { expiration } }) })
        await load()
      },
      async revoke(id) {
        await api.call(revokeTokenRoute, { params: { id } })
        set(({ tokens }) => ({ tokens: tokens?.filter((token) => token.id !== id) ?? null }))
      },
      check: (value) => api.call(checkTokenRoute, { body: { value } }),
      dismissIssued: () => set({ issued: null }),
    }
  })
}

export const useTokens = createStoreHook(createTokensStore)
