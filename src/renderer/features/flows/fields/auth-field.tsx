import { Plus } from '../../../lib/icons.tsx'
import { useState } from 'react'
import { createConnectorAuthRoute } from '../../../../shared/contract/connector-auths.ts'
import { HTTP_CONNECTOR_ID } from '../../../../shared/contract/connectors.ts'
import { CONNECTOR_AUTHS, CONNECTORS } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'
import { AuthSheet } from '../../../components/auths/auth-sheet.tsx'
import { Button } from '../../../components/controls/button.tsx'
import { Combo } from '../../../components/controls/combo.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { needsAuth } from '../../../components/services/catalogue.ts'
import { t } from '../../../lib/i18n.ts'
import { useAssist } from '../state/editor-context.tsx'
import { TemplateField } from './template-field.tsx'

interface AuthFieldProps {
  readonly refId: string
  /** Absent: "Connector auth". */
  readonly label?: string
  readonly required?: boolean
  /** Only auths of this connector. */
  readonly connectorId?: string
  /** The connector of a new auth, until another is chosen; absent: for any URL. */
  readonly newFor?: string
  /** The URL called with it, a template. */
  readonly address?: string
  readonly value: unknown
  readonly error?: string | undefined
  readonly onChange: (authId: string | null) => void
}

const NONE = ''

/** A stored auth, chosen by its name, or a template that returns the ID of one. */
export function AuthField(props: AuthFieldProps) {
  const {
    refId,
    label = t('Connector auth'),
    required = false,
    connectorId,
    newFor = HTTP_CONNECTOR_ID,
    address = '',
    value,
    error,
    onChange,
  } = props
  const { data } = useResource(CONNECTOR_AUTHS)
  const auths = data ?? []
  const rendered = useAssist((state) => state.rendered)
  /** The call of the new auth, while its sheet is open. */
  const [adding, setAdding] = useState<{ readonly address: string }>()
  const usable = auths.filter((auth) => connectorId === undefined || auth.connector_id === connectorId)
  const connectors = useResource(connectorId === undefined ? null : CONNECTORS).data ?? []
  // Without one, the API rejects the call.
  const inNeed =
    data === null || usable.length > 0
      ? undefined
      : connectors.find((one) => one.id === connectorId && needsAuth(one))
  const id = typeof value === 'string' ? value : NONE
  if (id.includes('{{'))
    return (
      <TemplateField
        refId={refId}
        label={label}
        hint={t('A template that returns the ID of a connector auth. Clear it to select one by name.')}
        error={error}
        value={id}
        onChange={(text) => onChange(text === '' ? null : text)}
      />
    )
  async function add() {
    const place = { refId, field: 'config.url', kind: 'text', bare: false } as const
    const text = address.includes('{') ? await rendered(address, place).catch(() => null) : address
    setAdding({ address: text ?? '' })
  }

  const unknown = id !== NONE && !usable.some((auth) => auth.id === id)
  return (
    <>
      <Field
        label={label}
        optional={!required && inNeed === undefined}
        hint={
          inNeed === undefined
            ? undefined
            : t('{{name}} has no connector auth yet. Create one: without it, the API rejects the call.', {
                name: inNeed.name,
              })
        }
        error={
          error ??
          (unknown ? t('This connector has no connector auth with the ID {{id}}.', { id }) : undefined)
        }
        aside={
          connectorId === '' ? null : (
            <Button
              look={inNeed === undefined ? 'quiet' : 'secondary'}
              icon={Plus}
              needs={createConnectorAuthRoute}
              className="h-6"
              onClick={() => void add()}
            >
              {t('New connector auth')}
            </Button>
          )
        }
      >
        <Combo
          value={id}
          placeholder={t('No auth')}
          onChange={(next) => onChange(next === NONE ? null : next)}
          options={[
            { value: NONE, label: t('No auth') },
            ...usable.map((auth) => ({ value: auth.id, label: auth.name, hint: auth.auth_type })),
          ]}
        />
      </Field>
      {adding === undefined ? null : (
        <AuthSheet
          connectorId={connectorId ?? newFor}
          connectorGiven={connectorId !== undefined}
          address={adding.address}
          onClose={() => setAdding(undefined)}
          onReady={({ id: made }) => {
            setAdding(undefined)
            onChange(made)
          }}
        />
      )}
    </>
  )
}
