import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from '../../../lib/icons.tsx'
import { useMemo, useRef, useState } from 'react'
import { formatJson } from '../../../lib/json.ts'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { cellOf, columnNames, sortedPlaces } from './record-columns.ts'
import { ScrollRegion } from '../../../components/screen/scroll-region.tsx'

interface RecordTableProps {
  readonly records: readonly unknown[]
  /** Whether the list is complete; a growing list would be sorted again and again. */
  readonly settled: boolean
  /** Positions of the records to show, in order; defaults to all. */
  readonly places?: readonly number[] | undefined
  /** More about a record, in a separate column. */
  readonly note?: { readonly header: string; readonly of: (place: number) => string }
}

interface Sorting {
  readonly name: string
  readonly descending: boolean
}

const ROW_PX = 28

/** Any number of records, of which only the visible ones are rendered. */
export function RecordTable({ records, settled, places, note }: RecordTableProps) {
  const [sorting, setSorting] = useState<Sorting | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const names = useMemo(() => columnNames(records), [records])
  const order = useMemo(
    () =>
      sorting === null || !settled || places !== undefined
        ? null
        : sortedPlaces(records, sorting.name, sorting.descending),
    [records, sorting, settled, places],
  )
  const virtual = useVirtualizer({
    count: places?.length ?? records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  })
  if (records.length === 0)
    return <p className="p-3 text-muted">{settled ? t('No records.') : t('No records yet.')}</p>
  const columns = names.length === 0 ? ['value'] : names
  const extra = note === undefined ? '' : '4rem '
  const template = { gridTemplateColumns: `4rem ${extra}repeat(${columns.length}, minmax(8rem, 1fr))` }
  return (
    <ScrollRegion ref={scroller} label={t('Records table')}>
      <div
        role="table"
        aria-label={t('Records')}
        aria-rowcount={virtual.options.count + 1}
        style={{ minWidth: 96 + columns.length * 140 }}
      >
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
          <div
            role="row"
            className="grid h-8 items-center gap-x-3 px-3 text-sm font-medium text-muted"
            style={template}
          >
            <span role="columnheader" className="text-right">
              #
            </span>
            {note === undefined ? null : <span role="columnheader">{note.header}</span>}
            {columns.map((name) => (
              <Header
                key={name}
                name={name}
                sorting={sorting?.name === name ? sorting : null}
                onSort={
                  settled && places === undefined
                    ? () => setSorting((before) => nextSorting(before, name))
                    : null
                }
              />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const place = places?.[item.index] ?? order?.[item.index] ?? item.index
            const record = records[place]
            return (
              <div
                key={item.index}
                role="row"
                aria-rowindex={item.index + 2}
                className="absolute inset-x-0 grid h-7 items-center gap-x-3 border-b border-line px-3 hover:bg-hover"
                style={{ ...template, top: item.start }}
              >
                <span role="cell" className="tabular text-right text-faint">
                  {place + 1}
                </span>
                {note === undefined ? null : (
                  <span role="cell" className="tabular text-muted">
                    {note.of(place)}
                  </span>
                )}
                {columns.map((name) => (
                  <Cell key={name} value={names.length === 0 ? record : cellOf(record, name)} />
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </ScrollRegion>
  )
}

interface HeaderProps {
  readonly name: string
  readonly sorting: Sorting | null
  readonly onSort: (() => void) | null
}

function Header({ name, sorting, onSort }: HeaderProps) {
  const order = sorting === null ? 'none' : sorting.descending ? 'descending' : 'ascending'
  const Arrow = sorting?.descending ? ArrowDown : ArrowUp
  if (onSort === null)
    return (
      <span role="columnheader" className="truncate">
        {name}
      </span>
    )
  return (
    <span role="columnheader" aria-sort={order} className="min-w-0">
      <button
        type="button"
        onClick={onSort}
        className="group inline-flex max-w-full items-center gap-1 hover:text-text"
      >
        <span className="truncate">{name}</span>
        <Arrow
          size={12}
          aria-hidden
          className={cx('shrink-0', sorting === null && 'invisible opacity-60 group-hover:visible')}
        />
      </button>
    </span>
  )
}

/** The next in the cycle of ascending, descending and unsorted. */
function nextSorting(before: Sorting | null, name: string): Sorting | null {
  if (before?.name !== name) return { name, descending: false }
  return before.descending ? null : { name, descending: true }
}

const SHOWN_CHARACTERS = 300

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined) return <span role="cell" />
  const text = typeof value === 'string' ? value : formatJson(value, 0)
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  return (
    <span
      role="cell"
      title={text.length > 18 ? text.slice(0, SHOWN_CHARACTERS) : undefined}
      className={cx(
        'truncate font-mono text-code',
        isNumber && 'text-data-number',
        (value === null || typeof value === 'boolean') && 'text-data-literal',
      )}
    >
      {text.slice(0, SHOWN_CHARACTERS)}
    </span>
  )
}
