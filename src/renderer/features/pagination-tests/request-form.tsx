import { ListTree } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Combo } from '../../components/combo.tsx'
import { DictionaryField } from '../../components/dictionary-field.tsx'
import { Field, TextInput } from '../../components/field.tsx'
import { JsonField } from '../../components/json-field.tsx'
import { Menu } from '../../components/menu.tsx'
import { Select } from '../../components/select.tsx'
import { usePagination } from './pagination-store.ts'
import { PRESETS } from './presets.ts'

export function RequestForm() {
  const form = usePagination((state) => state.form)
  const changed = usePagination((state) => state.changed)
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-auto bg-surface p-4">
      <Field label="Call">
        <Select
          value={form.source}
          onChange={(source) => changed({ source })}
          options={[
            { value: 'connector', label: 'An action of a connector' },
            { value: 'address', label: 'Any address' },
          ]}
        />
      </Field>
      {form.source === 'connector' ? <ConnectorCall /> : <AddressCall />}
      <JsonField
        label="Pagination configuration"
        value={form.config}
        onChange={(config) => changed({ config })}
        aside={
          <Menu
            trigger={
              <Button look="quiet" icon={ListTree} className="h-6">
                Usual shapes
              </Button>
            }
            groups={[
              PRESETS.map(({ label, hint, config }) => ({
                label,
                hint,
                onSelect: () => changed({ config }),
              })),
            ]}
          />
        }
      />
      <div className="grid grid-cols-2 gap-3">
        <Field label="Pages at most" optional>
          <TextInput
            inputMode="numeric"
            value={form.maxPages}
            onChange={(maxPages) => changed({ maxPages })}
          />
        </Field>
        <Field label="Records at most" optional>
          <TextInput
            inputMode="numeric"
            value={form.maxRecords}
            onChange={(maxRecords) => changed({ maxRecords })}
          />
        </Field>
      </div>
    </div>
  )
}

function ConnectorCall() {
  const form = usePagination((state) => state.form)
  const connectors = usePagination((state) => state.connectors)
  const actions = usePagination((state) => state.actions)
  const auths = usePagination((state) => state.auths)
  const changed = usePagination((state) => state.changed)
  const connectorChosen = usePagination((state) => state.connectorChosen)
  return (
    <>
      <Field label="Connector">
        <Combo
          value={form.connectorId}
          onChange={(id) => void connectorChosen(id)}
          options={connectors.map(({ id, name, short_description: hint }) => ({
            value: id,
            label: name,
            hint,
          }))}
        />
      </Field>
      <Field label="Action">
        <Combo
          value={form.action}
          onChange={(action) => changed({ action })}
          options={actions.map(({ name, title, short_description: hint }) => ({
            value: name,
            label: title || name,
            hint,
          }))}
        />
      </Field>
      <Field label="Auth" optional>
        <Combo
          value={form.authId}
          onChange={(authId) => changed({ authId })}
          options={[
            { value: '', label: 'None' },
            ...auths
              .filter((auth) => auth.connector_id === form.connectorId)
              .map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </Field>
      <DictionaryField
        typed
        label="Input"
        noun="value"
        value={form.input}
        onChange={(input) => changed({ input })}
      />
    </>
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
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-3">
        <Field label="Method">
          <Select
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
    </>
  )
}
