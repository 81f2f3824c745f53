import type { ConnectorAuth, ConnectorAuthUse } from '../../../shared/contract/connector-auths.ts'
import { formatRelative } from '../../lib/format.ts'
import { t, tn } from '../../lib/i18n.ts'
import { type State, StatusBadge } from '../values/status-badge.tsx'
import { useNow } from '../values/time.tsx'

interface AuthBadgeProps {
  readonly auth: ConnectorAuth
  readonly use: ConnectorAuthUse | undefined
}

/** The state of the credentials: what is missing, or else whether an API last accepted them, and when. */
export function AuthBadge({ auth, use }: AuthBadgeProps) {
  const now = useNow()
  const state = badgeState(auth, use, now)
  const label = badgeWords(state, auth, use, now)
  return <StatusBadge state={state} {...(label !== undefined && { label })} />
}

/** How long before its expiry a token is shown as expiring, unless it is renewed automatically. */
const WARNED_MS = 7 * 86_400_000

export function badgeState(auth: ConnectorAuth, use: ConnectorAuthUse | undefined, now: number): State {
  if (auth.state !== 'ok') return auth.state
  const { last_result_ok: ok = null, last_result: at = null, last_test_ok: tested, last_tested } = use ?? {}
  // The last test says nothing about the credentials: the API was unreachable or returned some other error.
  if (tested === false && (last_tested ?? '') > (at ?? '') && ok !== false) return 'test_failed'
  if (ok === false) return 'rejected'
  if (hasEnded(auth, now)) return 'expired'
  if (endsIn(auth, now) !== null) return 'ending'
  if (ok === true) return 'works'
  return 'untested'
}

/** For certificates and tokens that state their expiry. Tokens from a sign-in are renewed or have their own state. */
function hasEnded({ auth_type: type, token_expires_at: at }: ConnectorAuth, now: number): boolean {
  return type !== 'oauth2' && at !== null && Date.parse(at) <= now
}

/** In milliseconds; null if it doesn't expire soon or is renewed automatically. */
function endsIn({ token_expires_at: at, secrets }: ConnectorAuth, now: number): number | null {
  if (at === null || secrets['refresh_token'] === true) return null
  const left = Date.parse(at) - now
  return left > 0 && left < WARNED_MS ? left : null
}

function badgeWords(
  state: State,
  auth: ConnectorAuth,
  use: ConnectorAuthUse | undefined,
  now: number,
): string | undefined {
  const ago = (at: string | null | undefined) => formatRelative(Date.parse(at ?? ''), now)
  switch (state) {
    case 'works':
      return t('Works · {{ago}}', { ago: ago(use?.last_result) })
    case 'rejected':
      return t('Rejected · {{ago}}', { ago: ago(use?.last_result) })
    case 'test_failed':
      return t('Test failed · {{ago}}', { ago: ago(use?.last_tested) })
    case 'ending': {
      const days = Math.ceil((endsIn(auth, now) ?? 0) / 86_400_000)
      return tn(days, 'Expires in {{count}} day', 'Expires in {{count}} days')
    }
    case 'untested':
      if (use === undefined || use.last_used === null) return t('Never used')
      // The credentials were changed after they were last used.
      if (use.last_used < auth.updated_at) return t('Not tested')
      return t('Used · {{ago}}', { ago: ago(use.last_used) })
    default:
      return undefined
  }
}
