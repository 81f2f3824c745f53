import { useNavigate } from '@tanstack/react-router'
import { Info } from 'lucide-react'
import { Combo } from '../../../components/controls/combo.tsx'
import { DictionaryField } from '../../../components/controls/dictionary-field.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { t, translateConnectorText } from '../../../lib/i18n.ts'
import { CountFields } from './count-fields.tsx'
import { usePagination } from '../../../components/pagination/state/pagination-store.ts'

/** An action of a connector, with the auth it is called with and the input of its form. The choice is in the address. */
export function ConnectorCall() {
  const form = usePagination((state) => state.form)
  const connectors = usePagination((state) => state.connectors)
  const actions = usePagination((state) => state.actions)
  const auths = usePagination((state) => state.auths)
  const changed = usePagination((state) => state.changed)
  const navigate = useNavigate()
  const connector = connectors?.find(({ id }) => id === form.connectorId)
  const action = actions.find(({ name }) => name === form.action)
  const choose = (connector: string, wanted?: string) =>
    void navigate({
      to: '/pagination',
      search: { connector, ...(wanted === undefined ? {} : { action: wanted }) },
      replace: true,
    })
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field label={t('Connector')}>
          <Combo
            value={form.connectorId}
            onChange={(id) => choose(id)}
            options={(connectors ?? []).map((one) => ({
              value: one.id,
              label: one.name,
              hint: translateConnectorText(one.short_description, one),
            }))}
          />
        </Field>
        <Field label={t('Action')}>
          <Combo
            value={form.action}
            onChange={(name) => {
              changed({ action: name, input: {} })
              choose(form.connectorId, name)
            }}
            options={actions.map(({ name, title, short_description: purpose }) => ({
              value: name,
              label: translateConnectorText(title, connector) || name,
              hint: translateConnectorText(purpose, connector),
            }))}
          />
        </Field>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)_5.5rem_5.5rem] gap-3 max-sm:grid-cols-2">
        <Field label={t('Auth')} optional className="max-sm:col-span-2">
          <Combo
            value={form.authId}
            onChange={(authId) => changed({ authId })}
            options={[
              { value: '', label: t('None') },
              ...auths
                .filter((auth) => auth.connector_id === form.connectorId)
                .map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </Field>
        <CountFields />
      </div>
      <DictionaryField
        typed
        label={t('Input')}
        noun={t('value')}
        value={form.input}
        onChange={(input) => changed({ input })}
      />
      {action === undefined || action.supports_automatic_pagination ? null : (
        <p className="flex items-start gap-2 text-sm text-muted">
          <Info size={14} aria-hidden className="mt-0.5 shrink-0" />
          {t(
            '“Retrieve all data” is off for this action, so flows send one request. The test reads all pages with the configuration below; saving it for the action switches that on.',
          )}
        </p>
      )}
    </>
  )
}
