import { useState } from 'react'
import type { DataTable } from '../../../shared/contract/data/data-tables.ts'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { t } from '../../lib/i18n.ts'

interface TableDialogProps {
  /** Null for a new one. */
  readonly table: DataTable | null
  readonly onSave: (body: { readonly name: string; readonly description: string }) => Promise<void>
  readonly onClose: () => void
}

export function TableDialog({ table, onSave, onClose }: TableDialogProps) {
  const [name, setName] = useState(table?.name ?? '')
  const [description, setDescription] = useState(table?.description ?? '')
  return (
    <SaveDialog
      title={table === null ? t('New table') : t('Rename “{{name}}”', { name: table.name })}
      action={t('Save table')}
      failed={t('Couldn’t save table')}
      saved={t('Table “{{name}}” saved', { name })}
      onSave={() => onSave({ name: name.trim(), description })}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label={t('Name')}
            hint={
              table === null
                ? t('Steps refer to the table by its name.')
                : t('Steps refer to the table by its name, so change it there too.')
            }
            error={errors['name']?.[0]}
          >
            <TextInput value={name} onChange={setName} placeholder="customers" />
          </Field>
          <Field label={t('Description')} optional error={errors['description']?.[0]}>
            <TextInput value={description} onChange={setDescription} />
          </Field>
        </>
      )}
    </SaveDialog>
  )
}
