import { Plus } from '../../lib/icons.tsx'
import { useState } from 'react'
import {
  type ConnectorAuth,
  createConnectorAuthRoute,
  updateConnectorAuthRoute,
} from '../../../shared/contract/connector-auths.ts'
import { HTTP_CONNECTOR_ID, needsAuth } from '../../../shared/contract/connectors.ts'
import { AUTH_USES, CONNECTOR_AUTHS, CONNECTORS } from '../../api/lists.ts'
import { useResource } from '../../api/resource.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Combo } from '../controls/combo.tsx'
import { Field } from '../controls/field.tsx'
import { useNow } from '../values/time.tsx'
import { AuthBadge, badgeState } from './auth-badge.tsx'
import { AuthSheet } from './auth-sheet.tsx'
import { AUTH_TYPE_WORDS } from './auth-draft.ts'
import { wordsOfChange } from './way-out.tsx'

interface AuthChoiceProps {
  /** Defaults to "Connector auth". */
  readonly label?: string
  readonly required?: boolean
  /** Only auths of this connector are listed; empty if none is chosen yet. */
  readonly connectorId?: string | undefined
  /** The initial connector of a new auth; without it, the auth is for any URL. */
  readonly newFor?: string
  /** The URL that a new auth is tested with. */
  readonly address?: () => string | Promise<string>
  /** The ID of an auth; empty if none is chosen. */
  readonly value: string
  readonly error?: string | undefined
  readonly onChange: (authId: string) => void
}

const NONE = ''

/** Chooses a stored auth by name, and shows its state. New auths are connected, and rejected ones fixed, in a sheet. */
export function AuthChoice(props: AuthChoiceProps) {
  const {
    label = t('Connector auth'),
    required = false,
    connectorId,
    newFor = HTTP_CONNECTOR_ID,
    address,
    value: id,
    error,
    onChange,
  } = props
  const { data } = useResource(CONNECTOR_AUTHS)
  const auths = data ?? []
  /** The sheet, while it is open. */
  const [sheet, setSheet] = useState<{ readonly address: string; readonly auth?: ConnectorAuth }>()
  const usable = auths.filter((auth) => connectorId === undefined || auth.connector_id === connectorId)
  const connectors = useResource(connectorId === undefined ? null : CONNECTORS).data ?? []
  // Without an auth, the API rejects the call.
  const inNeed =
    data === null || usable.length > 0
      ? undefined
      : connectors.find((one) => one.id === connectorId && needsAuth(one))
  const chosen = usable.find((auth) => auth.id === id)
  const isUnknown = id !== NONE && chosen === undefined
  const open = async (auth?: ConnectorAuth) =>
    setSheet({ address: (await address?.()) ?? '', ...(auth && { auth }) })
  return (
    <>
      <Field
        label={label}
        optional={!required && inNeed === undefined}
        hint={
          inNeed === undefined
            ? undefined
            : t(
                '{{name}} has no connector auth yet. Create one, because the API rejects the call without it.',
                {
                  name: inNeed.name,
                },
              )
        }
        error={
          error ??
          (isUnknown && data !== null
            ? t('This connector has no connector auth with the ID {{id}}.', { id })
            : undefined)
        }
        aside={
          connectorId === '' ? null : (
            <Button
              look={inNeed === undefined ? 'quiet' : 'secondary'}
              icon={Plus}
              needs={createConnectorAuthRoute}
              className="h-6"
              onClick={() => void open()}
            >
              {t('New connector auth')}
            </Button>
          )
        }
      >
        <Combo
          value={id}
          placeholder={t('No auth')}
          onChange={onChange}
          options={[
            { value: NONE, label: t('No auth') },
            ...usable.map((auth) => ({
              value: auth.id,
              label: auth.name,
              hint: t(AUTH_TYPE_WORDS[auth.auth_type].label),
            })),
          ]}
        />
        {chosen === undefined ? null : <Known auth={chosen} onChange={() => void open(chosen)} />}
      </Field>
      {sheet === undefined ? null : (
        <AuthSheet
          connectorId={connectorId ?? newFor}
          connectorGiven={connectorId !== undefined}
          address={sheet.address}
          auth={sheet.auth}
          onClose={() => setSheet(undefined)}
          onReady={({ id: made }) => {
            setSheet(undefined)
            onChange(made)
          }}
        />
      )}
    </>
  )
}

/** Whether the chosen auth works, and how to fix it. */
function Known({ auth, onChange }: { readonly auth: ConnectorAuth; readonly onChange: () => void }) {
  const use = useResource(AUTH_USES).data?.find(({ auth_id: id }) => id === auth.id)
  const state = badgeState(auth, use, useNow())
  return (
    <div className="flex min-h-6 flex-wrap items-center gap-2">
      <AuthBadge auth={auth} use={use} />
      {state === 'works' || state === 'untested' ? null : (
        <Button className="h-6" needs={updateConnectorAuthRoute} onClick={onChange}>
          {wordsOfChange(auth)}
        </Button>
      )}
    </div>
  )
}
