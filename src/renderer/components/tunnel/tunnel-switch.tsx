import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useApi } from '../../api/provider.tsx'
import { t, translateMessage } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { announceFailure } from '../screen/toast.tsx'
import { useTunnel } from './tunnel-store.ts'

/** Turns the public URL on or off with one click; if that fails, shows why and links to the settings. */
export function TunnelSwitch() {
  const opened = useTunnel((state) => state.opened)
  const tunnel = useTunnel((state) => state.tunnel)
  const started = useTunnel((state) => state.started)
  const stopped = useTunnel((state) => state.stopped)
  // From other devices, it can only be viewed.
  const isLocal = useApi().remote === null
  const [busy, setBusy] = useState(false)
  useEffect(() => opened(), [opened])
  if (tunnel === null || !isLocal) return null
  const { state, problem } = tunnel
  const isOff = state === 'off'

  async function toggle() {
    setBusy(true)
    await (isOff ? started() : stopped()).catch((error: unknown) =>
      announceFailure(isOff ? t('Couldn’t turn on public URL') : t('Couldn’t turn off public URL'), error),
    )
    setBusy(false)
  }

  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-2">
      {state === 'starting' ? <span className="text-sm text-muted">{t('Turning on…')}</span> : null}
      {problem === null ? null : (
        <span className="min-w-0 text-sm text-error">
          {translateMessage(problem.message)}{' '}
          <Link to="/settings" hash={t('Tunnel')} className="rounded-sm text-accent-text hover:underline">
            {t('Set up')}
          </Link>
        </span>
      )}
      <Button
        look="quiet"
        className="h-6"
        busy={busy}
        aria-label={isOff ? t('Turn on public URL') : t('Turn off public URL')}
        onClick={() => void toggle()}
      >
        {isOff ? t('Turn on') : t('Turn off')}
      </Button>
    </span>
  )
}
