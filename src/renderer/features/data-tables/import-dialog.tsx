import { useState } from 'react'
import type { DataTable, importDataRowsRoute } from '../../../shared/contract/data/data-tables.ts'
import type { RouteRequest, RouteResult } from '../../../shared/contract/base/route.ts'
import { Field, Switch } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

type Body = NonNullable<RouteRequest<typeof importDataRowsRoute>['body']>

interface ImportDialogProps {
  readonly table: DataTable
  readonly file: File
  readonly onImport: (body: Body) => Promise<RouteResult<typeof importDataRowsRoute>>
  readonly onClose: () => void
}

const ALL = ''

export function ImportDialog({ table, file, onImport, onClose }: ImportDialogProps) {
  const [key, setKey] = useState(ALL)
  const [addsColumns, setAddsColumns] = useState(true)
  async function save() {
    const format = /\.(?:jsonl|ndjson|json)$/i.test(file.name) ? 'jsonl' : 'csv'
    const result = await onImport({
      format,
      text: await file.text(),
      add_columns: addsColumns,
      ...(key === ALL ? {} : { key: [key] }),
    })
    announce(
      t('{{added}} added, {{changed}} changed', {
        added: plural(result.inserted, 'row'),
        changed: plural(result.updated, 'row'),
      }),
    )
  }
  return (
    <SaveDialog
      title={t('Import “{{name}}”', { name: file.name })}
      action={t('Import')}
      failed={t('Nothing was imported')}
      saved={t('“{{name}}” imported', { name: file.name })}
      onSave={save}
      onClose={onClose}
    >
      {() => (
        <>
          <Field
            label={t('Existing rows')}
            hint={t('If you choose a column, rows with the same value in it are updated instead of added.')}
          >
            <Select
              value={key}
              onChange={setKey}
              options={[
                { value: ALL, label: t('Add all rows') },
                ...table.columns.map(({ name }) => ({
                  value: name,
                  label: t('Update rows with the same {{column}}', { column: name }),
                })),
              ]}
            />
          </Field>
          <Switch
            label={t('Add missing columns')}
            hint={t(
              'Creates missing columns with a matching type. If off, the import fails on an unknown column.',
            )}
            checked={addsColumns}
            onChange={setAddsColumns}
          />
        </>
      )}
    </SaveDialog>
  )
}
