import { Download } from '../../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Menu } from '../../../components/controls/menu.tsx'
import { Tabs } from '../../../components/controls/tabs.tsx'
import { announce } from '../../../components/screen/toast.tsx'
import { CopyIcon } from '../../../components/values/copy-button.tsx'
import { JsonTree } from '../../../components/values/json-tree.tsx'
import { formatCount, plural } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { formatJson } from '../../../lib/json.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { findDuplicates, pageOfRecord } from '../../../components/pagination/state/duplicates.ts'
import { usePagination } from '../../../components/pagination/state/pagination-store.ts'
import { recordsOf } from '../../../components/pagination/state/record-log.ts'
import { KEPT_RECORDS } from '../../../components/pagination/state/test-progress.ts'
import { CursorsView } from './cursors-view.tsx'
import { type ExportFormat, EXPORTS } from './export-records.ts'
import { RecordJson } from './record-json.tsx'
import { RecordTable } from './record-table.tsx'

type View = 'table' | 'tree' | 'json' | 'duplicates' | 'cursors'

/** The flat list that a step would return. */
export function RecordsPanel() {
  const log = usePagination((state) => state.progress.records)
  const total = usePagination((state) => state.progress.totalRecords)
  const output = usePagination((state) => state.progress.output)
  const status = usePagination((state) => state.progress.status)
  const [view, setView] = useState<View>('table')
  const records = useMemo(() => recordsOf(log), [log])
  if (output !== null) return <JsonTree value={output.value} label={t('Output')} />
  const settled = status !== 'running'
  return (
    <Tabs
      label={t('Test views')}
      className="flex-1"
      value={view}
      onChange={setView}
      aside={
        <span className="flex items-center gap-2">
          <output className="text-sm whitespace-nowrap text-muted">
            {total > KEPT_RECORDS
              ? t('the first {{number}} of {{records}}', {
                  number: formatCount(records.length),
                  records: plural(total, 'record'),
                })
              : plural(total, 'record')}
          </output>
          <CopyIcon label={t('Copy all as JSON')} text={() => formatJson(records)} />
          <ExportMenu records={records} />
        </span>
      }
      tabs={[
        { value: 'table', label: t('Table'), content: <RecordTable records={records} settled={settled} /> },
        {
          value: 'tree',
          label: t('Tree'),
          content: (
            <JsonTree
              value={records}
              label={t('Records')}
              root="records"
              openDepth={records.length > FEW ? 1 : 2}
            />
          ),
        },
        { value: 'json', label: 'JSON', content: <RecordJson records={records} /> },
        {
          value: 'duplicates',
          label: t('Duplicates'),
          content: <DuplicatesView records={records} settled={settled} />,
        },
        { value: 'cursors', label: t('Cursors'), content: <CursorsView /> },
      ]}
    />
  )
}

/** With more records, only the list itself is open at first. */
const FEW = 500

function ExportMenu({ records }: { readonly records: readonly unknown[] }) {
  const save = (format: ExportFormat) => {
    const { write, type, label } = EXPORTS[format]
    const name = `records.${format}`
    saveFile(name, type, write(records))
    announce(
      t('{{records}} saved as {{label}}, in {{name}}', {
        records: plural(records.length, 'record'),
        label,
        name,
      }),
    )
  }
  return (
    <Menu
      trigger={
        <Button icon={Download} className="h-6" disabled={records.length === 0}>
          {t('Export')}
        </Button>
      }
      groups={[
        [
          { label: 'JSON', hint: t('One list'), onSelect: () => save('json') },
          { label: 'NDJSON', hint: t('One record per line'), onSelect: () => save('ndjson') },
          { label: 'CSV', hint: t('One column per key'), onSelect: () => save('csv') },
        ],
      ]}
    />
  )
}

interface DuplicatesViewProps {
  readonly records: readonly unknown[]
  readonly settled: boolean
}

/** Records that occur more than once, grouped, with the page each came from. */
function DuplicatesView({ records, settled }: DuplicatesViewProps) {
  const pages = usePagination((state) => state.progress.pages)
  const duplicates = useMemo(() => (settled ? findDuplicates(records) : null), [records, settled])
  const places = useMemo(() => duplicates?.groups.flat() ?? [], [duplicates])
  if (duplicates === null)
    return (
      <p className="p-3 text-muted">{t('Millrace checks for duplicates when all records have arrived.')}</p>
    )
  if (places.length === 0) return <p className="p-3 text-muted">{t('No duplicate records.')}</p>
  return (
    <RecordTable
      records={records}
      settled
      places={places}
      note={{ header: t('Page'), of: (place) => String(pageOfRecord(pages, place) ?? '') }}
    />
  )
}
