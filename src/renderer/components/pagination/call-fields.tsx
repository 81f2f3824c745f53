import { AuthChoice } from '../auths/auth-choice.tsx'
import { Combo } from '../controls/combo.tsx'
import { DictionaryField } from '../controls/dictionary-field.tsx'
import { Field } from '../controls/field.tsx'
import { t, translateConnectorText } from '../../lib/i18n.ts'
import { useCallActions, useCallConnector, usePagination } from './state/pagination-store.ts'

/** The action of the connector whose pages are read. */
export function ActionField({ onChosen }: { readonly onChosen?: (action: string) => void }) {
  const form = usePagination((state) => state.form)
  const connector = useCallConnector() ?? undefined
  const actions = useCallActions()
  const changed = usePagination((state) => state.changed)
  return (
    <Field label={t('Action')}>
      <Combo
        value={form.action}
        onChange={(action) => {
          changed({ action, input: {} })
          onChosen?.(action)
        }}
        options={actions.map(({ name, title, short_description: purpose }) => ({
          value: name,
          label: translateConnectorText(title, connector) || name,
          hint: translateConnectorText(purpose, connector),
        }))}
      />
    </Field>
  )
}

/** The credentials to use: the connector's, or any for a request to any URL. */
export function CallAuthField() {
  const { source, connectorId, authId, baseUrl, endpoint } = usePagination((state) => state.form)
  const changed = usePagination((state) => state.changed)
  return (
    <AuthChoice
      {...(source === 'address' ? { address: () => `${baseUrl}${endpoint}` } : { connectorId })}
      value={authId}
      onChange={(next) => changed({ authId: next })}
    />
  )
}

export function CallInputField() {
  const input = usePagination((state) => state.form.input)
  const changed = usePagination((state) => state.changed)
  return (
    <DictionaryField
      typed
      label={t('Input')}
      noun={t('value')}
      value={input}
      onChange={(next) => changed({ input: next })}
    />
  )
}
