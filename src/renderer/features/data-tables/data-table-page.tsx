import { getRouteApi } from '@tanstack/react-router'
import { Columns3, Download, Plus, PencilLine, Rows3, TableProperties, Upload } from '../../lib/icons.tsx'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import {
  deleteDataRowsRoute,
  insertDataRowsRoute,
  updateDataTableRoute,
} from '../../../shared/contract/data/data-tables.ts'
import type { DataRow, DataTable } from '../../../shared/contract/data/data-tables.ts'
import { useApi } from '../../api/provider.tsx'
import { Button, IconButton } from '../../components/controls/button.tsx'
import { TextInput } from '../../components/controls/field.tsx'
import { FileButton } from '../../components/controls/file-button.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { Select } from '../../components/controls/select.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page, Toolbar } from '../../components/screen/page.tsx'
import { announce, attempt, deleteWithUndo } from '../../components/screen/toast.tsx'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { saveBlob } from '../../lib/save-file.ts'
import { cellText } from './cell-text.ts'
import { ColumnDialog } from './column-dialog.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { RowGrid } from './row-grid.tsx'
import { useRows } from './rows-store.ts'
import { TableDialog } from './table-dialog.tsx'

type Column = DataTable['columns'][number]

type Open =
  | { readonly dialog: 'rename' }
  | { readonly dialog: 'column'; readonly column: Column | null }
  | { readonly dialog: 'remove-column'; readonly column: Column }
  | { readonly dialog: 'import'; readonly file: File }
  | null

const route = getRouteApi('/data-tables/$tableId')

/** The rows of one table. */
export function DataTablePage() {
  const { tableId } = route.useParams()
  const { table, rows, failure, opened, reload } = useRows((state) => state)
  const [open, setOpen] = useState<Open>(null)
  useEffect(() => opened(tableId), [opened, tableId])
  return (
    <Page
      title={table?.name ?? t('Table')}
      crumbs={[{ label: t('Tables'), to: '/data-tables' }]}
      actions={table === null ? null : <Actions table={table} onOpen={setOpen} />}
    >
      <Loaded
        value={table === null || rows === null ? null : { table, rows }}
        failure={failure}
        what={t('the table')}
        onRetry={() => void reload()}
      >
        {(loaded) => <Rows {...loaded} onOpen={setOpen} />}
      </Loaded>
      {table === null || open === null ? null : (
        <Dialogs table={table} open={open} onClose={() => setOpen(null)} />
      )}
    </Page>
  )
}

function Actions({ table, onOpen }: { readonly table: DataTable; readonly onOpen: (open: Open) => void }) {
  const exported = useRows((state) => state.exported)
  const rowAdded = useRows((state) => state.rowAdded)
  const save = (format: 'csv' | 'jsonl') =>
    attempt(t('Couldn’t export the table'), async () =>
      saveBlob(`${table.name}.${format}`, await exported(format)),
    )
  const add = () => attempt(t('Couldn’t add a row'), rowAdded)
  return (
    <>
      <IconButton
        label={t('Rename table')}
        icon={PencilLine}
        needs={updateDataTableRoute}
        onClick={() => onOpen({ dialog: 'rename' })}
      />
      <FileButton
        icon={Upload}
        needs={insertDataRowsRoute}
        label={t('File to import')}
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,text/csv"
        onFile={(file) => onOpen({ dialog: 'import', file })}
      >
        {t('Import')}
      </FileButton>
      <Menu
        trigger={<Button icon={Download}>{t('Export')}</Button>}
        groups={[
          [
            { label: 'CSV', onSelect: () => void save('csv') },
            { label: t('JSON lines'), onSelect: () => void save('jsonl') },
          ],
        ]}
      />
      <Button
        icon={Columns3}
        needs={updateDataTableRoute}
        onClick={() => onOpen({ dialog: 'column', column: null })}
      >
        {t('Add column')}
      </Button>
      {table.columns.length === 0 ? null : (
        <Button look="primary" icon={Plus} needs={insertDataRowsRoute} onClick={() => void add()}>
          {t('Add row')}
        </Button>
      )}
    </>
  )
}

interface RowsProps {
  readonly table: DataTable
  readonly rows: readonly DataRow[]
  readonly onOpen: (open: Open) => void
}

function Rows({ table, rows, onOpen }: RowsProps) {
  const total = useRows((state) => state.total)
  const view = useRows((state) => state.view)
  const viewed = useRows((state) => state.viewed)
  const endSeen = useRows((state) => state.endSeen)
  const cellChanged = useRows((state) => state.cellChanged)
  const onEnd = useCallback(() => void endSeen(), [endSeen])
  const reload = useRows((state) => state.reload)
  const api = useApi()
  const { ids } = useStore(api.deletions.hidden)
  const shown = useMemo(() => rows.filter((row) => !ids.has(idOf(table, row))), [rows, ids, table])
  const count = total - (rows.length - shown.length)
  const deleteRow = (row: DataRow) => {
    const name = cellText(row['_id'])
    const request = { params: { id: table.id }, query: { filter: `_id,eq,${name}` } }
    const text = t('Row {{row}} deleted', { row: name })
    deleteWithUndo(api, deleteDataRowsRoute, request, { id: idOf(table, row), name, text, after: reload })
  }
  const column = table.columns.some(({ name }) => name === view.column)
    ? view.column
    : (table.columns[0]?.name ?? '')
  if (table.columns.length === 0) {
    return (
      <EmptyState
        icon={TableProperties}
        title={t('No columns yet')}
        action={
          <Button
            look="primary"
            icon={Columns3}
            needs={updateDataTableRoute}
            onClick={() => onOpen({ dialog: 'column', column: null })}
          >
            {t('Add column')}
          </Button>
        }
      >
        {t('Add columns one by one, or import a file whose first line has their names.')}
      </EmptyState>
    )
  }
  return (
    <>
      <Toolbar>
        <Select
          label={t('Column to filter by')}
          className="w-44"
          value={column}
          onChange={(next) => void viewed({ column: next })}
          options={table.columns.map(({ name }) => ({ value: name, label: name }))}
        />
        <TextInput
          type="search"
          aria-label={t('Filter rows')}
          placeholder={t('contains')}
          className="w-60"
          value={view.contains}
          onChange={(contains) => void viewed({ column, contains })}
        />
        <output className="ml-auto text-sm text-muted">{plural(count, 'row')}</output>
      </Toolbar>
      {shown.length === 0 && view.contains === '' ? (
        <EmptyState
          icon={Rows3}
          example={['grace@example.test', 'Grace Moreau', '2026-03-02']}
          title={t('No rows yet')}
        >
          {t('Add a row, import a file, or let a flow insert rows with the step “Table”.')}
        </EmptyState>
      ) : (
        <RowGrid
          table={table}
          rows={shown}
          total={count}
          sort={view.sort}
          onSort={(sort) => void viewed({ sort })}
          onEnd={onEnd}
          onCell={(row, name, value) =>
            attempt(t('Couldn’t change the cell'), () => cellChanged(row, name, value))
          }
          onDelete={deleteRow}
          onRename={(renamed) => onOpen({ dialog: 'column', column: renamed })}
          onRemove={(removed) => onOpen({ dialog: 'remove-column', column: removed })}
        />
      )}
    </>
  )
}

/** The numbers of rows are unique within their table. */
const idOf = (table: DataTable, row: DataRow) => `${table.id} ${cellText(row['_id'])}`

interface DialogsProps {
  readonly table: DataTable
  readonly open: NonNullable<Open>
  readonly onClose: () => void
}

function Dialogs({ table, open, onClose }: DialogsProps) {
  const changed = useRows((state) => state.changed)
  const imported = useRows((state) => state.imported)
  switch (open.dialog) {
    case 'rename':
      return <TableDialog table={table} onSave={changed} onClose={onClose} />
    case 'column':
      return <ColumnDialog table={table} column={open.column} onSave={changed} onClose={onClose} />
    case 'import':
      return <ImportDialog table={table} file={open.file} onImport={imported} onClose={onClose} />
  }
  return (
    <ConfirmDialog
      open
      title={t('Remove column “{{name}}”?', { name: open.column.name })}
      action={t('Remove column')}
      onClose={onClose}
      onConfirm={async () => {
        await changed({ columns: table.columns.filter(({ id }) => id !== open.column.id) })
        announce(t('Column “{{name}}” removed', { name: open.column.name }))
      }}
    >
      {t('Its values are deleted permanently, and flows that use it will fail.')}
    </ConfirmDialog>
  )
}
