import { useState } from 'react'
import type { Token } from '../../../shared/contract/tokens.ts'
import { asAppError } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { t } from '../../lib/i18n.ts'
import { ExpirationField, expirationOf, readExpiration } from './expiration-field.tsx'
import { WhatBreaks } from './what-breaks.tsx'

interface RegenerateDialogProps {
  readonly token: Token
  readonly onRegenerate: (expiration: number | null) => Promise<void>
  readonly onClose: () => void
}

export function RegenerateDialog({ token, onRegenerate, onClose }: RegenerateDialogProps) {
  const [expiration, setExpiration] = useState(() => expirationOf(token))
  const [state, setState] = useState<{ sent: boolean; busy: boolean; failure: unknown }>(IDLE)
  const ends = readExpiration(expiration)

  async function regenerate() {
    setState({ ...IDLE, sent: true })
    if ('problem' in ends) return
    setState({ sent: true, busy: true, failure: null })
    try {
      await onRegenerate(ends.days)
      onClose()
    } catch (error) {
      setState({ sent: true, busy: false, failure: error })
    }
  }

  return (
    <Dialog
      open
      title={t('Regenerate token')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="danger" busy={state.busy} onClick={() => void regenerate()}>
            {t('Regenerate token')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <WhatBreaks token={token} ending="It keeps its note and its scopes, and gets a new value." />
        <ExpirationField
          value={expiration}
          onChange={setExpiration}
          error={state.sent && 'problem' in ends ? ends.problem : undefined}
        />
        {state.failure === null ? null : (
          <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t regenerate token')} />
        )}
      </div>
    </Dialog>
  )
}

const IDLE = { sent: false, busy: false, failure: null }
