import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { startTunnelRoute, stopTunnelRoute, type Tunnel } from '../../../shared/contract/reach/tunnel.ts'
import { TUNNEL } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { t, translateHint, translateMessage } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { ConfirmDialog } from '../screen/confirm-dialog.tsx'
import { attempt } from '../screen/toast.tsx'

interface TunnelSwitchProps {
  /** Leaves out the problem and the link to the settings, because the screen shows them elsewhere. */
  readonly bare?: boolean
}

/** Turns the public URL on, after saying what becomes public, or off; if that fails, shows why and what to do. */
export function TunnelSwitch({ bare = false }: TunnelSwitchProps) {
  const api = useApi()
  const { data: tunnel, after } = useResource(TUNNEL)
  const [busy, setBusy] = useState(false)
  const [asking, setAsking] = useState(false)
  // From other devices, it can only be viewed.
  if (tunnel === null || api.remote !== null) return null
  const { state, problem } = tunnel
  const isOff = state === 'off'

  async function stop() {
    setBusy(true)
    await attempt(t('Couldn’t turn off public URL'), () => after(api.call(stopTunnelRoute)))
    setBusy(false)
  }

  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-2">
      {state === 'starting' && !bare ? <span className="text-sm text-muted">{t('Turning on…')}</span> : null}
      {problem === null || bare ? null : (
        <span className="min-w-0 text-sm">
          <span className="text-error">{translateMessage(problem.message, problem)}.</span>{' '}
          {translateHint(problem.hint, problem)}.{' '}
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
        onClick={() => (isOff ? setAsking(true) : void stop())}
      >
        {isOff ? t('Turn on') : t('Turn off')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t('Turn on public URL?')}
        action={t('Turn on')}
        onClose={() => setAsking(false)}
        onConfirm={async () => void (await after(api.call(startTunnelRoute, { body: {} })))}
      >
        <BecomesPublic tunnel={tunnel} />
      </ConfirmDialog>
    </span>
  )
}

function BecomesPublic({ tunnel: { exposed } }: { readonly tunnel: Tunnel }) {
  const open = exposed.filter(({ protection }) => protection.length === 0)
  return (
    <>
      {t(
        'This exposes webhooks, forms and question pages to the internet, drafts included, but not the app, the API or your data.',
      )}{' '}
      {open.length === 0
        ? t('All of them need a token or a signature.')
        : t('Anyone can start these flows without a token or signature: {{flows}}.', {
            flows: open.map(({ name }) => `“${name}”`).join(', '),
          })}
    </>
  )
}
