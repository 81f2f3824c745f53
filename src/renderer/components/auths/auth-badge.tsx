import type { ConnectorAuth, ConnectorAuthUse } from '../../../shared/contract/connector-auths.ts'
import { formatRelative } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { type State, StatusBadge } from '../values/status-badge.tsx'
import { useNow } from '../values/time.tsx'

interface AuthBadgeProps {
  readonly auth: ConnectorAuth
  readonly use: ConnectorAuthUse | undefined
  /** With the time of the last test. */
  readonly dated?: boolean
}

/** What is known about the credentials: that something is missing, else what the last test of them said. */
export function AuthBadge({ auth, use, dated = false }: AuthBadgeProps) {
  const state = badgeState(auth, use)
  const now = useNow()
  const at = use?.last_tested ?? null
  if (!dated || at === null || (state !== 'works' && state !== 'rejected'))
    return <StatusBadge state={state} />
  const ago = formatRelative(Date.parse(at), now)
  return (
    <StatusBadge
      state={state}
      label={state === 'works' ? t('Works, tested {{ago}}', { ago }) : t('Rejected {{ago}}', { ago })}
    />
  )
}

export function badgeState({ state }: ConnectorAuth, use: ConnectorAuthUse | undefined): State {
  if (state !== 'ok') return state
  if (use === undefined || use.last_test_ok === null) return 'untested'
  return use.last_test_ok ? 'works' : 'rejected'
}
