import { Link } from '@tanstack/react-router'
import { Clock3 } from '../../lib/icons.tsx'
import { TOKENS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { useNow } from '../../components/values/time.tsx'
import { plural } from '../../lib/format.ts'

const WEEK_MS = 7 * 86_400_000

/** On every screen, from a week before a token expires. */
export function EndingTokens() {
  const { data: tokens } = useResource(TOKENS)
  const now = useNow()
  const ending = (tokens ?? []).filter(({ expiration }) => {
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
