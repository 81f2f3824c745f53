import { PAGINATION_METHODS } from '../../../../shared/contract/base/http-methods.ts'
import { Combo } from '../../../components/controls/combo.tsx'
import { DictionaryField } from '../../../components/controls/dictionary-field.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { CallAuthField, ActionField, CallInputField } from '../../../components/pagination/call-fields.tsx'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { t, translateConnectorText } from '../../../lib/i18n.ts'
import { usePagination, useCallActions } from '../../../components/pagination/state/pagination-store.ts'
import { CountFields } from './count-fields.tsx'
import { useNavigate } from '@tanstack/react-router'
import { Info } from '../../../lib/icons.tsx'
import { CONNECTORS } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'

/** The call whose pages are read, and how many of them. */
export function RequestForm() {
  const form = usePagination((state) => state.form)
  const chosen = usePagination((state) => state.sourceChosen)
  return (
    <section aria-label={t('Request')} className="flex flex-col gap-3">
      <Select
        label={t('Call')}
        value={form.source}
        onChange={chosen}
        options={[
          { value: 'connector', label: t('Connector action') },
          { value: 'address', label: t('Any URL') },
        ]}
      />
      {form.source === 'connector' ? <ConnectorCall /> : <AddressCall />}
    </section>
  )
}

function AddressCall() {
  const form = usePagination((state) => state.form)
  const changed = usePagination((state) => state.changed)
  return (
    <>
      <Field label={t('Base URL')}>
        <TextInput
          mono
          value={form.baseUrl}
          placeholder="https://api.example.com/v2"
          onChange={(baseUrl) => changed({ baseUrl })}
        />
      </Field>
      <div className="grid grid-cols-[6rem_minmax(0,1fr)] gap-3">
        <Field label={t('Method')}>
          <Combo
            value={form.method}
            onChange={(method) => changed({ method })}
            options={PAGINATION_METHODS.map((value) => ({ value, label: value }))}
          />
        </Field>
        <Field label={t('Endpoint')}>
          <TextInput
            mono
            value={form.endpoint}
            placeholder="contacts"
            onChange={(endpoint) => changed({ endpoint })}
          />
        </Field>
      </div>
      <CallAuthField />
      <DictionaryField
        typed
        label={t('Query')}
        noun={t('parameter')}
        value={form.query}
        onChange={(query) => changed({ query })}
      />
      <DictionaryField
        label={t('Headers')}
        noun={t('header')}
        value={form.headers}
        onChange={(headers) => changed({ headers })}
      />
      {form.method === 'GET' ? null : (
        <JsonField orText label={t('Body')} value={form.body} onChange={(body) => changed({ body })} />
      )}
      <div className="grid grid-cols-2 gap-3">
        <CountFields />
      </div>
    </>
  )
}

/** An action of a connector, with its auth and the input of its form. The choice is in the URL. */
function ConnectorCall() {
  const form = usePagination((state) => state.form)
  const { data: connectors } = useResource(CONNECTORS)
  const actions = useCallActions()
  const navigate = useNavigate()
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
        <ActionField onChosen={(name) => choose(form.connectorId, name)} />
      </div>
      <CallAuthField />
      <div className="grid grid-cols-2 gap-3">
        <CountFields />
      </div>
      <CallInputField />
      {action === undefined || action.supports_automatic_pagination ? null : (
        <p className="flex items-start gap-2 text-muted">
          <Info size={14} aria-hidden className="mt-0.5 shrink-0" />
          {t(
            '“Retrieve all data” is off for this action, so flows send one request. The test reads all pages anyway. Save the configuration for this action to turn it on.',
          )}
        </p>
      )}
    </>
  )
}
