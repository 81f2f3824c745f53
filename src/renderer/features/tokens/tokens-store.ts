import { createStore } from 'zustand/vanilla'
import { checkTokenRoute, createTokenRoute, regenerateTokenRoute } from '../../../shared/contract/tokens.ts'
import type { IssuedToken, TokenCheck } from '../../../shared/contract/tokens.ts'
import type { Api } from '../../api/create-api.ts'
import { TOKENS } from '../../api/lists.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'

export interface TokenDraft {
  /** Days from now; null never expires. */
  readonly expiration: number | null
  readonly note: string
  readonly scopes: string[]
  /** Null means all flows. */
  readonly flow_ids: string[] | null
  readonly auth_ids: string[] | null
}

interface TokensState {
  /** Shown once, and forgotten when its dialog closes. */
  readonly issued: IssuedToken | null
  readonly create: (draft: TokenDraft) => Promise<void>
  readonly regenerate: (id: string, expiration: number | null) => Promise<void>
  /** Identifies the token of a value, which isn't stored. */
  readonly check: (value: string) => Promise<TokenCheck>
  readonly dismissIssued: () => void
}

export function createTokensStore(api: Pick<Api, 'call' | 'list' | 'live'>) {
  const { after } = cached(api, TOKENS).getState()
  return createStore<TokensState>()((set) => ({
    issued: null,
    async create(body) {
      set({ issued: await after(api.call(createTokenRoute, { body })) })
    },
    async regenerate(id, expiration) {
      set({
        issued: await after(api.call(regenerateTokenRoute, { params: { id }, body: { expiration } })),
      })
    },
    check: (value) => api.call(checkTokenRoute, { body: { value } }),
    dismissIssued: () => set({ issued: null }),
  }))
}

export const useTokens = createStoreHook(createTokensStore)
