import { useMemo } from 'react'
import { t } from '../../lib/i18n.ts'
import { findDuplicates, pageOfRecord } from './state/duplicates.ts'
import { usePagination } from './state/pagination-store.ts'
import { RecordTable } from './records/record-table.tsx'

interface DuplicatesViewProps {
  readonly records: readonly unknown[]
  readonly settled: boolean
}

/** Records that came more than once, those of one kind together, with the page each came on. */
export function DuplicatesView({ records, settled }: DuplicatesViewProps) {
  const pages = usePagination((state) => state.progress.pages)
  const duplicates = useMemo(() => (settled ? findDuplicates(records) : null), [records, settled])
  const places = useMemo(() => duplicates?.groups.flat() ?? [], [duplicates])
  if (duplicates === null)
    return <p className="p-3 text-muted">{t('Duplicates are looked for when no more records come.')}</p>
  if (places.length === 0) return <p className="p-3 text-muted">{t('No record came twice.')}</p>
  return (
    <RecordTable
      records={records}
      settled
      places={places}
      note={{ header: t('Page'), of: (place) => String(pageOfRecord(pages, place) ?? '') }}
    />
  )
}
