import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from '../../lib/icons.tsx'
import { createLink } from '@tanstack/react-router'
import { memo, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import { nextOrder, type SortKey, type SortOrder, sortRows } from '../../lib/sort-rows.ts'
import { Button } from '../controls/button.tsx'
import { useShortcut } from '../screen/shortcuts.tsx'
import { useRowHeight } from './density.tsx'

export interface Column<Row> {
  readonly id: string
  /** Null if the cells are enough. */
  readonly header: English | null
  /** A track of the grid: `minmax(12rem, 1fr)`, `8rem`. */
  readonly width: string
  readonly cell: (row: Row) => ReactNode
  /** The sort key of the column; absent if the server decides the order. */
  readonly sortBy?: (row: Row) => SortKey
  readonly align?: 'end'
  /** If the table is too narrow, columns are left out in this order, 1 first; the record's own screen has them all. */
  readonly yields?: number
}

interface DataTableProps<Row extends { id: string }> {
  readonly label: string
  /** The noun of a row: `run`. */
  readonly noun: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly selectedId?: string | undefined
  /** Called when the end comes into view, for lists that arrive in pages. */
  readonly onEnd?: (() => void) | undefined
  /** Consecutive rows with the same heading are grouped below it, unless they are sorted by a column. */
  readonly headingOf?: ((row: Row) => string) | undefined
  /** Shown below the last row. */
  readonly footer?: ReactNode
}

/** Distance from the next column, since a number right before "2 min ago" would read as part of it. */
const AT_END = 'text-right not-last:pr-4'

/**
 * A list of any length. j and k move from row to row, Enter opens. New rows at the top never push down what the user
 * looks at: while the pointer or the focus is inside, they wait above and a button leads to them.
 */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { label, noun, rows, selectedId, onEnd, headingOf, footer } = props
  // Headings count, too, because a row added above may add several lines.
  const rowHeight = useRowHeight()
  const [scroller, columns] = useFitting(props.columns)
  const sorted = useSorted(columns, rows)
  const lines = useMemo(
    () => toLines(sorted.rows, sorted.isSorted ? undefined : headingOf),
    [sorted.rows, sorted.isSorted, headingOf],
  )
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    getItemKey: (index) => lines[index]?.id ?? index,
  })
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight])
  const above = useAnchor(scroller, lines, sorted.order, rowHeight)
  useRowKeys(scroller, noun)

  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useLayoutEffect(() => {
    if (onEnd !== undefined && rows.length > 0 && last >= lines.length - 20) onEnd()
  }, [last, lines.length, rows.length, onEnd])

  const template = { gridTemplateColumns: columns.map((column) => column.width).join(' ') }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col bg-surface">
      {above.count > 0 ? (
        <Button
          look="primary"
          icon={ArrowUp}
          onClick={above.show}
          className="absolute top-11 left-1/2 z-20 -translate-x-1/2 rounded-full shadow-float"
        >
          {t('{{count}} new', { count: above.count })}
        </Button>
      ) : null}
      <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
        <div
          role="table"
          aria-label={label}
          aria-rowcount={lines.length + 1}
          style={{ minWidth: leastWidth(columns) }}
        >
          <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
            <div role="row" aria-rowindex={1} className="grid h-8 items-center gap-x-4 px-4" style={template}>
              {sorted.headers.map((header) => (
                <Header key={header.id} {...header} />
              ))}
            </div>
          </div>
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const line = lines[item.index]
              if (line === undefined) return null
              return line.heading !== null ? (
                <Heading
                  key={line.id}
                  text={line.heading}
                  index={item.index}
                  top={item.start}
                  height={rowHeight}
                />
              ) : (
                <TableRow
                  key={line.id}
                  row={line.row}
                  columns={columns}
                  tracks={template.gridTemplateColumns}
                  index={item.index}
                  top={item.start}
                  height={rowHeight}
                  selected={line.id === selectedId}
                />
              )
            })}
          </div>
        </div>
        {footer}
      </div>
    </div>
  )
}

type Line<Row> =
  | { readonly id: string; readonly heading: null; readonly row: Row }
  | { readonly id: string; readonly heading: string }

function toLines<Row extends { id: string }>(
  rows: readonly Row[],
  headingOf: ((row: Row) => string) | undefined,
): readonly Line<Row>[] {
  let current: string | null = null
  return rows.flatMap((row): readonly Line<Row>[] => {
    const heading = headingOf?.(row) ?? null
    const line = { id: row.id, heading: null, row }
    if (heading === null || heading === current) return [line]
    current = heading
    return [{ id: `heading ${heading}`, heading }, line]
  })
}

function Heading({
  text,
  index,
  top,
  height,
}: {
  readonly text: string
  readonly index: number
  readonly top: number
  readonly height: number
}) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="absolute inset-x-0 flex items-end border-b border-line bg-sunken px-4 pb-1"
      style={{ top, height }}
    >
      <span role="rowheader" className="text-sm font-medium text-muted">
        {text}
      </span>
    </div>
  )
}

interface TableRowProps<Row> {
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly tracks: string
  readonly index: number
  readonly top: number
  readonly height: number
  readonly selected: boolean
}

/** Rendered once, so that while the list scrolls, only rows that come into view are rendered. */
const TableRow = memo(function TableRow<Row extends { id: string }>(props: TableRowProps<Row>) {
  const { row, columns, tracks, index, top, height, selected } = props
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={row.id}
      className={cx(
        'absolute inset-x-0 grid items-center gap-x-4 border-b border-line px-4 hover:bg-hover',
        'has-[[data-row-link]:focus-visible]:bg-hover',
        selected && 'bg-selected hover:bg-selected',
      )}
      style={{ gridTemplateColumns: tracks, top, height }}
    >
      {columns.map((column) => (
        <div
          key={column.id}
          role="cell"
          className={cx('min-w-0 truncate', column.align === 'end' && cx('tabular', AT_END))}
        >
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
}) as <Row extends { id: string }>(props: TableRowProps<Row>) => ReactNode

interface RowAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly ref?: Ref<HTMLAnchorElement>
}

/** The link that opens the row; the whole row takes its click. */
export const RowLink = createLink(function RowAnchor({ className, children, ...rest }: RowAnchorProps) {
  return (
    <a
      {...rest}
      data-row-link
      className={cx(
        'font-medium text-text outline-none after:absolute after:inset-0 after:content-[""]',
        'focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent',
        className,
      )}
    >
      {children}
    </a>
  )
})

interface HeaderProps {
  readonly id: string
  readonly title: string
  readonly end: boolean
  readonly order: SortOrder | null
  readonly onSort: (() => void) | null
}

function Header({ title, end, order, onSort }: HeaderProps) {
  const Arrow = order === 'descending' ? ArrowDown : ArrowUp
  return (
    <div
      role="columnheader"
      {...(onSort === null ? {} : { 'aria-sort': order ?? 'none' })}
      className={cx('min-w-0 truncate text-sm font-medium text-muted', end && AT_END)}
    >
      {onSort === null ? (
        title === '' ? (
          <span className="sr-only">{t('Actions')}</span>
        ) : (
          title
        )
      ) : (
        <button
          type="button"
          onClick={onSort}
          className={cx(
            'group flex max-w-full items-center gap-1 hover:text-text',
            end && 'ml-auto flex-row-reverse',
          )}
        >
          {title}
          <Arrow
            size={12}
            aria-hidden
            className={cx(order === null && 'invisible opacity-60 group-hover:visible')}
          />
        </button>
      )}
    </div>
  )
}

const GAP_PX = 16
const PADDING_PX = 32
const REM_PX = 16

/** Below this width the table scrolls sideways instead of cutting off its last columns. */
function leastWidth(columns: readonly { readonly width: string }[]): number {
  // linear: widths are written in the code
  const rems = columns.map(({ width }) => Number(/([\d.]+)rem/.exec(width)?.[1] ?? 4))
  return rems.reduce((sum, rem) => sum + rem * REM_PX, PADDING_PX + (columns.length - 1) * GAP_PX)
}

/** A ref for the scrolling element, and the columns that fit in it. */
function useFitting<Row>(columns: readonly Column<Row>[]) {
  const scroller = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(Infinity)
  useLayoutEffect(() => {
    if (scroller.current === null) return undefined
    const { current } = scroller
    // Also set immediately, so that the first painted frame is final.
    setWidth(current.clientWidth)
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  const last = lastToYield(columns, width)
  const fitting = useMemo(
    () => (last === 0 ? columns : columns.filter(({ yields = Infinity }) => yields > last)),
    [columns, last],
  )
  return [scroller, fitting] as const
}

/** The columns with a `yields` up to this must be left out; 0 if everything fits. */
function lastToYield(columns: readonly Column<never>[], width: number): number {
  const order = [0, ...columns.flatMap(({ yields }) => yields ?? []).sort((one, other) => one - other)]
  const fits = (last: number) => leastWidth(columns.filter(({ yields = Infinity }) => yields > last)) <= width
  return order.find(fits) ?? order.at(-1) ?? 0
}

/** The rows sorted by the clicked column, otherwise in their given order. */
function useSorted<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
  const [sorting, setSorting] = useState<{ readonly id: string; readonly order: SortOrder } | null>(null)
  const sortBy = columns.find(({ id }) => id === sorting?.id)?.sortBy
  const order = sorting?.order ?? null
  const sorted = useMemo(
    () => (sortBy === undefined || order === null ? rows : sortRows(rows, sortBy, order)),
    [rows, sortBy, order],
  )
  return {
    rows: sorted,
    isSorted: sortBy !== undefined && order !== null,
    order: sorting,
    headers: columns.map(({ id, header, align, sortBy: keyOf }): HeaderProps => {
      const shown = sorting?.id === id ? sorting.order : null
      const sort = () => {
        const next = nextOrder(shown, rows[0] === undefined ? undefined : keyOf?.(rows[0]))
        setSorting(next === null ? null : { id, order: next })
      }
      return {
        id,
        title: header === null ? '' : t(header),
        end: align === 'end',
        order: shown,
        onSort: keyOf === undefined ? null : sort,
      }
    }),
  }
}

/** Keeps the visible rows in place while rows come and go above, and counts the new ones. */
function useAnchor(
  scroller: React.RefObject<HTMLDivElement | null>,
  lines: readonly Line<unknown>[],
  order: unknown,
  rowHeight: number,
) {
  const before = useRef({ lines, order })
  const [hidden, setHidden] = useState(0)

  useLayoutEffect(() => {
    const element = scroller.current
    const known = before.current
    before.current = { lines, order }
    // In another order no row keeps its position.
    if (element === null || known.lines === lines || known.order !== order) return
    const lookedAt =
      element.scrollTop > 0 || element.matches(':hover') || element.contains(document.activeElement)
    if (!lookedAt) return
    const places = new Map(lines.map(({ id }, place) => [id, place]))
    const top = Math.floor(element.scrollTop / rowHeight)
    const from = known.lines.findIndex(
      ({ id, heading }, place) => place >= top && heading === null && places.has(id),
    )
    const anchor = known.lines[from]
    if (anchor === undefined) return
    const added = (places.get(anchor.id) ?? from) - from
    if (added === 0) return
    element.scrollBy({ top: added * rowHeight, behavior: 'instant' })
    setHidden((count) => Math.max(0, count + added))
  }, [lines, order, scroller, rowHeight])

  useLayoutEffect(() => {
    const element = scroller.current
    const onScroll = () => {
      const fit = Math.ceil((element?.scrollTop ?? 0) / rowHeight)
      setHidden((count) => Math.min(count, fit))
    }
    element?.addEventListener('scroll', onScroll, { passive: true })
    return () => element?.removeEventListener('scroll', onScroll)
  }, [scroller, rowHeight])

  return { count: hidden, show: () => scroller.current?.scrollTo({ top: 0 }) }
}

function useRowKeys(scroller: React.RefObject<HTMLDivElement | null>, noun: string): void {
  const move = (by: 1 | -1) => {
    const links = [...(scroller.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    const next = at === -1 ? links[0] : links[at + by]
    next?.focus()
    next?.closest('[data-row]')?.scrollIntoView({ block: 'nearest' })
  }
  useShortcut({ keys: 'j', label: t('Next {{noun}}', { noun }), group: t('Lists') }, () => move(1))
  useShortcut({ keys: 'k', label: t('Previous {{noun}}', { noun }), group: t('Lists') }, () => move(-1))
}
