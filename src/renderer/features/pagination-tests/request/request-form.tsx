import { PAGINATION_METHODS } from '../../../../shared/contract/base/http-methods.ts'
import { Combo } from '../../../components/controls/combo.tsx'
import { DictionaryField } from '../../../components/controls/dictionary-field.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { CallAuthField } from '../../../components/pagination/call-fields.tsx'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { t } from '../../../lib/i18n.ts'
import { ConnectorCall } from './connector-call.tsx'
import { usePagination } from '../../../components/pagination/state/pagination-store.ts'
import { CountFields } from './count-fields.tsx'

/** The call whose pages are read, and how many of them. */
export function RequestForm() {
  const form = usePagination((state) => state.form)
  const changed = usePagination((state) => state.changed)
  return (
    <section aria-label={t('Request')} className="flex flex-col gap-3">
      <Select
        label={t('Call')}
        value={form.source}
        // Auths of one aren't those of the other.
        onChange={(source) => changed({ source, authId: '' })}
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
