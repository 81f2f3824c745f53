import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { FilterX, Plus, TableProperties, Trash2 } from '../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import { createDataTableRoute, deleteDataTableRoute } from '../../../shared/contract/data/data-tables.ts'
import type { DataTable as Table } from '../../../shared/contract/data/data-tables.ts'
import { DATA_TABLES } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button, ButtonLink, IconButton } from '../../components/controls/button.tsx'
import { TextInput } from '../../components/controls/field.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page, Toolbar } from '../../components/screen/page.tsx'
import { ValueLinks } from '../../components/screen/screen-links.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { Time } from '../../components/values/time.tsx'
import { formatCount, plural } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import { flowsUsing } from './flows-using.ts'
import { TableDialog } from './table-dialog.tsx'

const route = getRouteApi('/data-tables')

/** Tables that flows and their user keep records in. */
export function DataTablesPage() {
  const { q = '', create = false } = route.useSearch()
  const navigate = useNavigate({ from: '/data-tables' })
  const api = useApi()
  const { data: tables, failure, reload, after } = useResource(DATA_TABLES)
  const [deleting, setDeleting] = useState<Deletion | null>(null)

  const openNew = () => void navigate({ search: { create: true } })
  useShortcut({ keys: 'n', label: t('New table'), group: t('Tables'), needs: createDataTableRoute }, openNew)
  const columns = useMemo(() => {
    const ask = async (table: Table) => setDeleting({ table, flows: await flowsUsing(api, table) })
    return columnsOf((table) => void ask(table))
  }, [api])
  const newButton = (
    <Button look="primary" icon={Plus} needs={createDataTableRoute} onClick={openNew}>
      {t('New table')}
    </Button>
  )

  return (
    <Page title={t('Tables')} actions={newButton}>
      <ValueLinks />
      <Toolbar>
        <TextInput
          type="search"
          aria-label={t('Search tables')}
          placeholder={t('Search by name')}
          className="w-72"
          value={q}
          onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
        />
        <output className="ml-auto text-sm text-muted">
          {tables === null ? '' : plural(tables.length, 'table')}
        </output>
      </Toolbar>
      <Loaded value={tables} failure={failure} what={t('the tables')} onRetry={() => void reload()}>
        {(list) => {
          const shown = list.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
          if (list.length === 0)
            return (
              <EmptyState icon={TableProperties} title={t('No tables yet')} action={newButton}>
                {t(
                  'A table keeps records that flows look up and change, for example customers, or articles you have already seen. You can edit, import and export its rows here.',
                )}
              </EmptyState>
            )
          if (shown.length === 0)
            return (
              <EmptyState
                icon={FilterX}
                title={t('No tables match')}
                action={<ButtonLink to="/data-tables">{t('Show all tables')}</ButtonLink>}
              >
                {t('None of the {{tables}} has “{{q}}” in its name.', {
                  tables: plural(list.length, 'table'),
                  q,
                })}
              </EmptyState>
            )
          return <DataTable label={t('Tables')} noun={t('table')} columns={columns} rows={shown} />
        }}
      </Loaded>
      {create ? (
        <TableDialog
          table={null}
          onClose={() => void navigate({ search: q === '' ? {} : { q }, replace: true })}
          onSave={async (body) => {
            const { id } = await after(api.call(createDataTableRoute, { body }))
            // After the dialog has left its own address.
            setTimeout(() => void navigate({ to: '/data-tables/$tableId', params: { tableId: id } }))
          }}
        />
      ) : null}
      <ConfirmDialog
        open={deleting !== null}
        title={t('Delete “{{name}}”?', { name: deleting?.table.name ?? '' })}
        action={t('Delete table')}
        onClose={() => setDeleting(null)}
        onConfirm={async () => {
          if (deleting === null) return
          await after(api.call(deleteDataTableRoute, { params: { id: deleting.table.id } }))
          announce(t('Table “{{name}}” deleted', { name: deleting.table.name }))
        }}
      >
        {consequenceOf(deleting?.flows ?? null)}
      </ConfirmDialog>
    </Page>
  )
}

interface Deletion {
  readonly table: Table
  /** Those that use it; null if they aren't known. */
  readonly flows: readonly string[] | null
}

function consequenceOf(flows: readonly string[] | null): string {
  if (flows === null) return t('Its rows are deleted permanently, and flows that use it will fail.')
  if (flows.length === 0) return t('Its rows are deleted permanently. No flow uses it.')
  const names = flows.slice(0, MOST_NAMED).map((name) => `“${name}”`)
  return t('Its rows are deleted permanently, and these flows will fail: {{flows}}', {
    flows: [...names, ...(flows.length > MOST_NAMED ? ['…'] : [])].join(', '),
  })
}

const MOST_NAMED = 10

function columnsOf(onDelete: (table: Table) => void): readonly Column<Table>[] {
  return [
    {
      id: 'name',
      header: english('Name'),
      width: 'minmax(10rem, 1fr)',
      sortBy: (table) => table.name.toLowerCase(),
      cell: (table) => (
        <RowLink to="/data-tables/$tableId" params={{ tableId: table.id }}>
          {table.name}
        </RowLink>
      ),
    },
    {
      id: 'columns',
      header: english('Columns'),
      width: 'minmax(12rem, 2fr)',
      yields: 1,
      cell: (table) => (
        <span className="text-muted">{table.columns.map((column) => column.name).join(', ')}</span>
      ),
    },
    {
      id: 'rows',
      header: english('Rows'),
      width: '6rem',
      align: 'end',
      sortBy: (table) => table.row_count,
      cell: (table) => formatCount(table.row_count),
    },
    {
      id: 'updated_at',
      header: english('Changed'),
      width: '7rem',
      yields: 2,
      sortBy: (table) => table.updated_at,
      cell: (table) => <Time at={table.updated_at} />,
    },
    {
      id: 'actions',
      header: null,
      width: '2rem',
      align: 'end',
      cell: (table) => (
        <span className="relative z-10">
          <IconButton
            small
            label={t('Delete {{name}}', { name: table.name })}
            icon={Trash2}
            needs={deleteDataTableRoute}
            onClick={() => onDelete(table)}
          />
        </span>
      ),
    },
  ]
}
