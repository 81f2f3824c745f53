import { ButtonLink } from '../../../components/controls/button.tsx'
import { Combo } from '../../../components/controls/combo.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { t } from '../../../lib/i18n.ts'
import { useCatalogue } from '../state/catalogue-store.ts'
import { TemplateField } from './template-field.tsx'

interface AuthFieldProps {
  readonly refId: string
  /** Only auths of this connector. */
  readonly connectorId?: string
  readonly value: unknown
  readonly error?: string | undefined
  readonly onChange: (authId: string | null) => void
}

const NONE = ''

/** A stored auth, chosen by its name, or a template that gives the id of one. */
export function AuthField({ refId, connectorId, value, error, onChange }: AuthFieldProps) {
  const auths = useCatalogue((state) => state.auths)
  const usable = auths.filter((auth) => connectorId === undefined || auth.connector_id === connectorId)
  const id = typeof value === 'string' ? value : NONE
  if (id.includes('{{'))
    return (
      <TemplateField
        refId={refId}
        label={t('Auth')}
        hint={t('A template that gives the id of an auth. Empty it to choose one by name.')}
        error={error}
        value={id}
        onChange={(text) => onChange(text === '' ? null : text)}
      />
    )
  const unknown = id !== NONE && !usable.some((auth) => auth.id === id)
  return (
    <Field
      label={t('Auth')}
      optional
      error={error ?? (unknown ? t('No auth of this connector has the id {{id}}.', { id }) : undefined)}
      aside={
        <ButtonLink
          look="quiet"
          className="h-6"
          to="/auths/$authId"
          params={{ authId: 'new' }}
          search={connectorId === undefined ? {} : { connector: connectorId }}
        >
          {t('New auth')}
        </ButtonLink>
      }
    >
      <Combo
        value={id}
        placeholder={t('None')}
        onChange={(next) => onChange(next === NONE ? null : next)}
        options={[
          { value: NONE, label: t('None') },
          ...usable.map((auth) => ({ value: auth.id, label: auth.name, hint: auth.auth_type })),
        ]}
      />
    </Field>
  )
}
