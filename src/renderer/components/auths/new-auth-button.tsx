import { KeyRound } from '../../lib/icons.tsx'
import { useState } from 'react'
import { createConnectorAuthRoute } from '../../../shared/contract/connector-auths.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { AuthSheet } from './auth-sheet.tsx'

/** Opens the sheet over the screen of a connector. */
export function NewAuthButton({ connectorId }: { readonly connectorId: string }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button icon={KeyRound} needs={createConnectorAuthRoute} onClick={() => setOpen(true)}>
        {t('New connector auth')}
      </Button>
      {isOpen ? <AuthSheet connectorGiven connectorId={connectorId} onClose={close} onReady={close} /> : null}
    </>
  )
}
