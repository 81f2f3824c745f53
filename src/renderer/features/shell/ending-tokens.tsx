import { Link } from '@tanstack/react-router'
import { Clock3 } from '../../lib/icons.tsx'
import { useEffect } from 'react'
import { createStore } from 'zustand/vanilla'
import { listTokensRoute } from '../../../shared/contract/tokens.ts'
import type { Token } from '../../../shared/contract/tokens.ts'
import type { Api } from '../../api/create-api.ts'
import { followNouns } from '../../api/follow.ts'
import { createStoreHook } from '../../api/provider.tsx'
import { useNow } from '../../components/values/time.tsx'
import { plural } from '../../lib/format.ts'

const WEEK_MS = 7 * 86_400_000

/** On every screen, from a week before a token expires. */
export function EndingTokens() {
  const opened = useTokenEnds((state) => state.opened)
  const tokens = useTokenEnds((state) => state.tokens)
  const now = useNow()
  useEffect(() => opened(), [opened])
  const ending = tokens.filter(({ expiration }) => {
    const left = expiration === null ? Infinity : Date.parse(expiration) - now
    return left > 0 && left < WEEK_MS
  })
  if (ending.length === 0) return null
  return (
    <Link to="/tokens" className="flex items-center gap-1.5 rounded-sm text-retrying hover:underline">
      <Clock3 size={12} aria-hidden />
      {plural(ending.length, 'access token expires this week', 'access tokens expire this week')}
    </Link>
  )
}

interface TokenEndsState {
  readonly tokens: readonly Token[]
  readonly opened: () => () => void
}

function createTokenEndsStore(api: Pick<Api, 'call' | 'live'>) {
  return createStore<TokenEndsState>()((set) => ({
    tokens: [],
    opened: followNouns(api, ['token'], async () => {
      await api.call(listTokensRoute).then(
        (tokens) => set({ tokens }),
        () => undefined, // The status bar already says that the program doesn't respond.
      )
    }),
  }))
}

const useTokenEnds = createStoreHook(createTokenEndsStore)
