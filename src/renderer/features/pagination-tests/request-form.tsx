import { Combo } from '../../components/combo.tsx'
import { DictionaryField } from '../../components/dictionary-field.tsx'
import { Field, TextInput } from '../../components/field.tsx'
import { JsonField } from '../../components/json-field.tsx'
import { Select } from '../../components/select.tsx'
import { ConnectorCall } from './connector-call.tsx'
import { usePagination } from './pagination-store.ts'
import { CountFields } from './count-fields.tsx'

/** The call whose pages are read, and how many of them. */
export function RequestForm() {
  const form = usePagination((state) => state.form)
  const changed = usePagination((state) => state.changed)
  return (
    <section aria-label="Request" className="flex flex-col gap-3">
      <Select
        label="What is called"
        value={form.source}
        onChange={(source) => changed({ source })}
        options={[
          { value: 'connector', label: 'An action of a connector' },
          { value: 'address', label: 'Any address' },
        ]}
      />
      {form.source === 'connector' ? <ConnectorCall /> : <AddressCall />}
    </section>
  )
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function AddressCall() {
  const form = usePagination((state) => state.form)
  const changed = usePagination((state) => state.changed)
  return (
    <>
      <Field label="Base address">
        <TextInput
          mono
          value={form.baseUrl}
          placeholder="https://api.example.com/v2"
          onChange={(baseUrl) => changed({ baseUrl })}
        />
      </Field>
      <div className="grid grid-cols-[6rem_minmax(0,1fr)] gap-3">
        <Field label="Method">
          <Combo
            value={form.method}
            onChange={(method) => changed({ method })}
            options={METHODS.map((value) => ({ value, label: value }))}
          />
        </Field>
        <Field label="Endpoint">
          <TextInput
            mono
            value={form.endpoint}
            placeholder="contacts"
            onChange={(endpoint) => changed({ endpoint })}
          />
        </Field>
      </div>
      <DictionaryField
        typed
        label="Query"
        noun="parameter"
        value={form.query}
        onChange={(query) => changed({ query })}
      />
      <DictionaryField
        label="Headers"
        noun="header"
        value={form.headers}
        onChange={(headers) => changed({ headers })}
      />
      {form.method === 'GET' ? null : (
        <JsonField orText label="Body" value={form.body} onChange={(body) => changed({ body })} />
      )}
      <div className="grid grid-cols-2 gap-3">
        <CountFields />
      </div>
    </>
  )
}
