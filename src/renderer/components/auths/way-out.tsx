import { KeyRound, Settings2 } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { RunError } from '../../../shared/contract/flow-runs.ts'
import { type ConnectorAuth, updateConnectorAuthRoute } from '../../../shared/contract/connector-auths.ts'
import { CONNECTOR_AUTHS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { english, t } from '../../lib/i18n.ts'
import { settingOfError, statusOfError } from '../../lib/steps-within.ts'
import { Button, ButtonLink } from '../controls/button.tsx'
import { AuthSheet } from './auth-sheet.tsx'

interface WayOutProps {
  readonly error: RunError
  /** The auth of the failed step; null if it has none that is known. */
  readonly authId: string | null
}

const FOLDERS = english('Allowed folders')
const PROGRAMS = english('Programs')

/** What mends a failed step, in one press: the setting that it needs, or the credentials that were rejected. */
export function WayOut({ error, authId }: WayOutProps) {
  const setting = settingOfError(error)
  return (
    <>
      {setting === null ? null : (
        <ButtonLink icon={Settings2} to="/settings" hash={t(setting)}>
          {setting === FOLDERS
            ? t('Allow folder')
            : setting === PROGRAMS
              ? t('Add program')
              : t('Open settings')}
        </ButtonLink>
      )}
      {authId === null || statusOfError(error) !== 401 ? null : <ChangeAuth authId={authId} />}
    </>
  )
}

function ChangeAuth({ authId }: { readonly authId: string }) {
  const auth = useResource(CONNECTOR_AUTHS).data?.find(({ id }) => id === authId)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  if (auth === undefined) return null
  return (
    <>
      <Button icon={KeyRound} needs={updateConnectorAuthRoute} onClick={() => setOpen(true)}>
        {wordsOfChange(auth)}
      </Button>
      {isOpen ? (
        <AuthSheet
          connectorGiven
          connectorId={auth.connector_id}
          auth={auth}
          onClose={close}
          onReady={close}
        />
      ) : null}
    </>
  )
}

/** What is entered or done again. */
export function wordsOfChange({ auth_type: type }: ConnectorAuth): string {
  if (type === 'oauth2') return t('Sign in')
  return type === 'username_password' ? t('Change password') : t('Change token')
}
