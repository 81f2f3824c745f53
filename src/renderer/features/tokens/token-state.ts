import type { Token } from '../../../shared/contract/tokens.ts'

const SOON_MS = 7 * 86_400_000

/** Whether a token is valid at this moment, and whether that will change within a week. */
export function tokenState(
  { expiration }: Pick<Token, 'expiration'>,
  now: number,
): 'ok' | 'ending' | 'expired' {
  if (expiration === null) return 'ok'
  const left = Date.parse(expiration) - now
  if (left <= 0) return 'expired'
  return left < SOON_MS ? 'ending' : 'ok'
}

/** The tokens created by a token, and those created by them. Revoking it ends them all. */
export function madeWith(tokens: readonly Token[], id: string): readonly Token[] {
  const made = tokens.filter((token) => token.created_by === id)
  return made.flatMap((token) => [token, ...madeWith(tokens, token.id)])
}
