import { KeyRound, Settings2 } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { RunError } from '../../../shared/contract/flow-runs.ts'
import { type ConnectorAuth, updateConnectorAuthRoute } from '../../../shared/contract/connector-auths.ts'
import { AUTH_USES, CONNECTOR_AUTHS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { english, t } from '../../lib/i18n.ts'
import { settingOfError, statusOfError } from '../../lib/steps-within.ts'
import { Button, ButtonLink } from '../controls/button.tsx'
import { AuthSheet } from './auth-sheet.tsx'

interface WayOutProps {
  readonly error: RunError
  /** The auth of the failed step; null if it has none or it is unknown. */
  readonly authId: string | null
}

const FOLDERS = english('Allowed folders')
const PROGRAMS = english('Programs')

/** Fixes a failed step with one click: the setting it needs, or the credentials that were rejected. */
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
      {authId === null || !REFUSALS.includes(statusOfError(error)) ? null : (
        <ChangeAuth authId={authId} isCertain={statusOfError(error) === 401} />
      )}
    </>
  )
}

const REFUSALS: readonly (number | null)[] = [401, 403]

interface ChangeAuthProps {
  readonly authId: string
  /** If false, the credentials may be right but not allowed to make the call. */
  readonly isCertain: boolean
}

/** Fixes rejected credentials in a sheet. */
export function ChangeAuth({ authId, isCertain }: ChangeAuthProps) {
  const auth = useResource(CONNECTOR_AUTHS).data?.find(({ id }) => id === authId)
  const use = useResource(AUTH_USES).data?.find((one) => one.auth_id === authId)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  if (auth === undefined || (!isCertain && use?.last_result_ok !== false)) return null
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

/** The button's label, by the kind of credentials. */
export function wordsOfChange({ auth_type: type }: ConnectorAuth): string {
  if (type === 'oauth2') return t('Sign in')
  if (type === 'username_password' || type === 'digest') return t('Change password')
  return TOKENS.includes(type) ? t('Change token') : t('Change credentials')
}

const TOKENS: readonly ConnectorAuth['auth_type'][] = ['bearer', 'basic_auth', 'api_key', 'none']
