import type { Json } from '../../../shared/contract/base/common.ts'
import { JsonField } from '../code/json-field.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { t } from '../../lib/i18n.ts'

interface LookupEditorProps {
  readonly value: Readonly<Record<string, Json>>
  readonly onChange: (lookup: Readonly<Record<string, Json>> & { [key: string]: Json }) => void
}

/** The source of a look-up field's choices. Keys without a field here can be set in the JSON. */
export function LookupEditor({ value, onChange }: LookupEditorProps) {
  const text = (key: string) => (typeof value[key] === 'string' ? value[key] : '')
  const set = (patch: Readonly<Record<string, Json>>) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...value, ...patch }).filter(
          ([, one]) => one !== '' && (typeof one !== 'object' || one === null || Object.keys(one).length > 0),
        ),
      ),
    )
  const fields = toFields(value['response_fields'])
  const { action, read, url, response_fields: _fields, ...others } = value
  return (
    <fieldset className="flex flex-col gap-3 rounded border border-line bg-sunken p-3">
      <legend className="px-1 font-medium">{t('Choices')}</legend>
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <Field
          label={t('List action')}
          hint={t('Name of the action that lists the records. Leave empty to use the connector’s search.')}
        >
          <TextInput
            mono
            value={text('action')}
            onChange={(next) => set({ action: next })}
            placeholder="list_channels"
          />
        </Field>
        <Field
          label={t('Action that reads one record')}
          optional
          hint={t('Used to check that a stored ID still exists.')}
        >
          <TextInput
            mono
            value={text('read')}
            onChange={(next) => set({ read: next })}
            placeholder="get_channel"
          />
        </Field>
        <Field label={t('ID in the record')} optional>
          <TextInput
            mono
            value={fields.id}
            onChange={(id) => set({ response_fields: without({ ...fields, id }) })}
            placeholder="$.id"
          />
        </Field>
        <Field label={t('Name in the record')} optional>
          <TextInput
            mono
            value={fields.match}
            onChange={(match) => set({ response_fields: without({ ...fields, match }) })}
            placeholder="$.name"
          />
        </Field>
      </div>
      <Field label={t('URL of a record')} optional hint={t('Use {id} for the ID and * for any other part.')}>
        <TextInput
          mono
          value={text('url')}
          onChange={(next) => set({ url: next })}
          placeholder="https://example.com/*/channels/{id}"
        />
      </Field>
      <JsonField
        label={t('Other settings')}
        hint={t('Enter the input of the list action, or the endpoint and query of a separate request.')}
        value={Object.keys(others).length === 0 ? null : others}
        onChange={(next) => {
          const known = { action, read, url, response_fields: value['response_fields'] }
          const kept = Object.entries(known).filter((one): one is [string, Json] => one[1] !== undefined)
          onChange({ ...(isRecord(next) ? next : {}), ...Object.fromEntries(kept) })
        }}
      />
    </fieldset>
  )
}

function toFields(value: Json | undefined): { readonly id: string; readonly match: string } {
  const text = (key: string) => (isRecord(value) && typeof value[key] === 'string' ? value[key] : '')
  return { id: text('id'), match: text('match') }
}

function without(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, path]) => path !== ''))
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
