import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { TableProperties } from '../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import { createDataTableRoute, deleteDataTableRoute } from '../../../shared/contract/data/data-tables.ts'
import type { DataTable as Table } from '../../../shared/contract/data/data-tables.ts'
import { DATA_TABLES } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Filtered, NoMatches, SearchBar, useAddButton } from '../../components/screen/list-screen.tsx'
import { Page } from '../../components/screen/page.tsx'
import { deleteWithUndo } from '../../components/screen/toast.tsx'
import { actionsColumn, DeleteIcon, timeColumn } from '../../components/values/columns.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
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

  const newButton = useAddButton({
    label: t('New table'),
    group: t('Tables'),
    needs: createDataTableRoute,
    onClick: () => void navigate({ search: { create: true } }),
  })
  const columns = useMemo(() => {
    const ask = async (table: Table) => setDeleting({ table, flows: await flowsUsing(api, table) })
    return tableColumns((table) => void ask(table))
  }, [api])

  return (
    <Page title={t('Tables')} actions={tables?.length === 0 ? null : newButton}>
      <SearchBar
        label={t('Search tables')}
        placeholder={t('Search by name')}
        value={q}
        onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
        count={tables === null ? '' : plural(tables.length, 'table')}
      />
      <Filtered
        value={tables}
        failure={failure}
        what={t('the tables')}
        onRetry={() => void reload()}
        matches={({ name }) => name.toLowerCase().includes(q.toLowerCase())}
        empty={
          <EmptyState
            icon={TableProperties}
            example={['customers', 'email, name, since', t('1,204 rows')]}
            title={t('No tables yet')}
            action={newButton}
          >
            {t(
              'A table keeps records that flows look up and change, for example customers, or articles you have already seen. You can edit, import and export its rows here.',
            )}
          </EmptyState>
        }
        none={
          <NoMatches title={t('No tables match')} to="/data-tables" all={t('Show all tables')}>
            {t('None of the {{tables}} has “{{q}}” in its name.', {
              tables: plural(tables?.length ?? 0, 'table'),
              q,
            })}
          </NoMatches>
        }
      >
        {(rows) => <DataTable label={t('Tables')} noun={t('table')} columns={columns} rows={rows} />}
      </Filtered>
      {create ? (
        <TableDialog
          table={null}
          onClose={() => void navigate({ search: q === '' ? {} : { q }, replace: true })}
          onSave={async (body) => {
            const { id } = await after(api.call(createDataTableRoute, { body }))
            // Waits until the dialog has removed its own URL.
            setTimeout(() => void navigate({ to: '/data-tables/$tableId', params: { tableId: id } }))
          }}
        />
      ) : null}
      <ConfirmDialog
        open={deleting !== null}
        title={t('Delete “{{name}}”?', { name: deleting?.table.name ?? '' })}
        action={t('Delete table')}
        onClose={() => setDeleting(null)}
        onConfirm={() => {
          if (deleting === null) return
          const { id, name } = deleting.table
          const text = t('Table “{{name}}” deleted', { name })
          deleteWithUndo(api, deleteDataTableRoute, { params: { id } }, { id, name, text })
        }}
      >
        {consequenceOf(deleting?.flows ?? null)}
      </ConfirmDialog>
    </Page>
  )
}

interface Deletion {
  readonly table: Table
  /** The flows that use it; null if they aren't known. */
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

function tableColumns(onDelete: (table: Table) => void): readonly Column<Table>[] {
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
    timeColumn('updated_at', english('Changed'), { width: '7rem', yields: 2 }),
    actionsColumn('2rem', (table) => (
      <DeleteIcon name={table.name} needs={deleteDataTableRoute} onClick={() => onDelete(table)} />
    )),
  ]
}
