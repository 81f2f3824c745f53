import { useState } from 'react'
import { DATA_COLUMN_TYPES } from '../../../shared/contract/data/data-tables.ts'
import type { DataTable, DataTablePatch } from '../../../shared/contract/data/data-tables.ts'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'

type Column = DataTable['columns'][number]

interface ColumnDialogProps {
  readonly table: DataTable
  /** Null for a new one. */
  readonly column: Column | null
  readonly onSave: (patch: DataTablePatch) => Promise<void>
  readonly onClose: () => void
}

const TYPE_WORDS: { readonly [T in Column['type']]: readonly [string | English, English] } = {
  text: [english('Text'), english('Any text')],
  number: [english('Number'), english('For example 12.5')],
  boolean: [english('Yes or no'), english('true or false')],
  datetime: [english('Date and time'), english('For example 2026-03-01T12:00:00Z')],
  json: ['JSON', english('Objects, lists and other values')],
}

export function ColumnDialog({ table, column, onSave, onClose }: ColumnDialogProps) {
  const [name, setName] = useState(column?.name ?? '')
  const [type, setType] = useState<Column['type']>(column?.type ?? 'text')
  const columns =
    column === null
      ? [...table.columns, { name: name.trim(), type }]
      : table.columns.map((one) => (one.id === column.id ? { ...one, name: name.trim() } : one))
  const place = column === null ? table.columns.length : table.columns.indexOf(column)
  return (
    <SaveDialog
      title={column === null ? t('New column') : t('Rename “{{name}}”', { name: column.name })}
      action={t('Save column')}
      failed={t('Couldn’t save column')}
      saved={t('Column “{{name}}” saved', { name })}
      onSave={() => onSave({ columns })}
      onClose={onClose}
    >
      {(errors) => (
        <div className="grid grid-cols-[minmax(0,1fr)_11rem] gap-3 max-sm:grid-cols-1">
          <Field
            label={t('Name')}
            error={
              (errors[`columns[${place}].name`] ?? errors[`columns[${place}]`] ?? errors['columns'])?.[0]
            }
          >
            <TextInput value={name} onChange={setName} placeholder="email" />
          </Field>
          {column === null ? (
            <Field label={t('Type')} hint={t('Can’t be changed later.')}>
              <Select
                value={type}
                onChange={setType}
                options={DATA_COLUMN_TYPES.map((value) => ({
                  value,
                  label: t(TYPE_WORDS[value][0]),
                  hint: t(TYPE_WORDS[value][1]),
                }))}
              />
            </Field>
          ) : null}
        </div>
      )}
    </SaveDialog>
  )
}
