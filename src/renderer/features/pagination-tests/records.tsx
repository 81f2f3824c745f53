import { useMemo, useState } from 'react'
import { formatJson } from '../../api/json.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import type { Column } from '../../components/data-table.tsx'
import { JsonTree } from '../../components/json-tree.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { formatCount, plural } from '../../lib/format.ts'
import { usePagination } from './pagination-store.ts'
import { KEPT_RECORDS } from './progress.ts'

/** The one flat list that a step would give. */
export function Records() {
  const records = usePagination((state) => state.progress.records)
  const total = usePagination((state) => state.progress.totalRecords)
  const output = usePagination((state) => state.progress.output)
  const [view, setView] = useState<'table' | 'tree'>('table')
  if (output !== null) return <JsonTree value={output.value} label="Output" />
  return (
    <Tabs
      label="View of the records"
      className="flex-1"
      value={view}
      onChange={setView}
      aside={
        <span className="flex items-center gap-3">
          <output className="text-sm text-muted">
            {total > KEPT_RECORDS
              ? `The first ${formatCount(records.length)} of ${plural(total, 'record')}`
              : plural(total, 'record')}
          </output>
          <CopyButton label="Copy JSON" text={() => formatJson(records)} />
        </span>
      }
      tabs={[
        { value: 'table', label: 'Table', content: <RecordTable records={records} /> },
        {
          value: 'tree',
          label: 'Tree',
          content: <JsonTree value={records} label="Records" root="records" />,
        },
      ]}
    />
  )
}

interface RecordRow {
  readonly id: string
  readonly record: unknown
}

const MAX_COLUMNS = 12
const SAMPLED = 50

function RecordTable({ records }: { readonly records: readonly unknown[] }) {
  const rows = useMemo(
    () => records.map((record, index): RecordRow => ({ id: String(index), record })),
    [records],
  )
  const names = [...new Set(records.slice(0, SAMPLED).flatMap(namesOf))].slice(0, MAX_COLUMNS)
  const key = names.join('\n')
  const columns = useMemo(() => columnsOf(key === '' ? [] : key.split('\n')), [key])
  if (records.length === 0) return <p className="p-4 text-muted">No records yet.</p>
  return <DataTable label="Records" noun="record" columns={columns} rows={rows} />
}

function columnsOf(names: readonly string[]): readonly Column<RecordRow>[] {
  const number: Column<RecordRow> = {
    id: '#number',
    header: '#',
    width: '3.5rem',
    align: 'end',
    cell: (row) => <span className="text-faint">{Number(row.id) + 1}</span>,
  }
  if (names.length === 0)
    return [
      number,
      { id: 'value', header: 'Record', width: '1fr', cell: (row) => <Cell value={row.record} /> },
    ]
  return [
    number,
    ...names.map((name): Column<RecordRow> => ({
      id: name,
      header: name,
      width: 'minmax(5rem, 1fr)',
      sortBy: (row) => sortable(valueOf(row.record, name)),
      cell: (row) => <Cell value={valueOf(row.record, name)} />,
    })),
  ]
}

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined) return null
  if (value === null) return <span className="text-faint">null</span>
  return <span className="font-mono text-sm">{typeof value === 'string' ? value : formatJson(value, 0)}</span>
}

function namesOf(record: unknown): string[] {
  return typeof record === 'object' && record !== null && !Array.isArray(record) ? Object.keys(record) : []
}

function valueOf(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null && Object.hasOwn(record, name)
    ? (record as Record<string, unknown>)[name]
    : undefined
}

function sortable(value: unknown): string | number | null {
  if (typeof value === 'number' || typeof value === 'string') return value
  return value === undefined || value === null ? null : formatJson(value, 0)
}
