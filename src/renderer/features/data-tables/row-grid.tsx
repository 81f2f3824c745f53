import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, ChevronDown, PencilLine, Trash2 } from '../../lib/icons.tsx'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { updateDataRowsRoute, updateDataTableRoute } from '../../../shared/contract/data/data-tables.ts'
import type { DataRow, DataTable } from '../../../shared/contract/data/data-tables.ts'
import { IconButton } from '../../components/controls/button.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { useRefusal } from '../../components/controls/needs.ts'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { cellText, toCell } from './cell-text.ts'

type Column = DataTable['columns'][number]

interface RowGridProps {
  readonly table: DataTable
  readonly rows: readonly DataRow[]
  readonly total: number
  readonly sort: string
  readonly onSort: (sort: string) => void
  readonly onEnd: () => void
  readonly onCell: (row: DataRow, column: string, value: unknown) => Promise<void>
  readonly onDelete: (row: DataRow) => void
  readonly onRename: (column: Column) => void
  readonly onRemove: (column: Column) => void
}

interface Place {
  readonly row: number
  readonly column: number
}

const ROW_PX = 34
const NUMBER_WIDTH = '4rem'
const CELL_WIDTH = 'minmax(10rem, 1fr)'

/**
 * All rows of a table, of which only those in view are rendered. Arrows move from cell to cell; Enter, F2 or typing
 * edits; Enter or Tab saves, Escape discards; Ctrl+Delete deletes the row.
 */
export function RowGrid(props: RowGridProps) {
  const { table, rows, total, sort, onSort, onEnd, onCell, onDelete } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<Place>({ row: 0, column: 0 })
  const [editing, setEditing] = useState<{ readonly text: string } | null>(null)
  /** Set by key presses: the cell gets the focus once it is rendered. */
  const wantsFocus = useRef(false)
  const isReadOnly = useRefusal(updateDataRowsRoute) !== null
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    // Rows scroll into view below the header, which stays at the top.
    scrollPaddingStart: ROW_PX,
    getItemKey: (index) => cellText(rows[index]?.['_id'] ?? index),
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - 50) onEnd()
  }, [last, rows.length, onEnd])

  useLayoutEffect(() => {
    if (!wantsFocus.current || editing !== null) return
    const cell = scroller.current?.querySelector<HTMLElement>(
      `[data-cell="${current.row}:${current.column}"]`,
    )
    if (cell === null || cell === undefined) return
    wantsFocus.current = false
    cell.focus()
  })

  function move(row: number, column: number): void {
    const next = {
      row: Math.min(Math.max(row, 0), rows.length - 1),
      column: Math.min(Math.max(column, 0), table.columns.length - 1),
    }
    wantsFocus.current = true
    setCurrent(next)
    virtual.scrollToIndex(next.row)
  }

  function save(place: Place, text: string): void {
    setEditing(null)
    const [row, column] = [rows[place.row], table.columns[place.column]]
    if (row === undefined || column === undefined || text === cellText(row[column.name])) return
    void onCell(row, column.name, toCell(text, column.type))
  }

  function onCellKey(event: KeyboardEvent, place: Place): void {
    const { key } = event
    const step = STEPS[key]
    const isWithModifier = event.ctrlKey || event.metaKey || event.altKey
    if (step !== undefined && !isWithModifier) {
      move(place.row + step[0], place.column + step[1])
    } else if (key === 'Home' || key === 'End') {
      const row = event.ctrlKey ? (key === 'Home' ? 0 : rows.length - 1) : place.row
      move(row, key === 'Home' ? 0 : table.columns.length - 1)
    } else if (isReadOnly) {
      return
    } else if (key === 'Delete' && (event.ctrlKey || event.metaKey)) {
      const row = rows[place.row]
      if (row !== undefined) onDelete(row)
    } else if (key === 'Delete' || key === 'Backspace') {
      save(place, '')
    } else if (key === 'Enter' || key === 'F2') {
      edit(place)
    } else if (key.length === 1 && !isWithModifier) {
      setEditing({ text: key })
    } else {
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }

  function edit(place: Place): void {
    if (isReadOnly) return
    setCurrent(place)
    const [row, column] = [rows[place.row], table.columns[place.column]]
    setEditing({ text: row && column ? cellText(row[column.name]) : '' })
  }

  const template = {
    gridTemplateColumns: `${NUMBER_WIDTH} ${table.columns.map(() => CELL_WIDTH).join(' ')} 2.5rem`,
  }
  const width = { minWidth: `${6.5 + table.columns.length * 10}rem` }
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto bg-surface">
      <div
        role="grid"
        aria-label={t('Rows of {{table}}', { table: table.name })}
        aria-rowcount={total + 1}
        aria-colcount={table.columns.length + 2}
        style={width}
      >
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
          <div role="row" aria-rowindex={1} className="grid h-8 items-center" style={template}>
            <Header name="_id" label="#" sort={sort} onSort={onSort} />
            {table.columns.map((column) => (
              <Header
                key={column.id}
                name={column.name}
                label={column.name}
                sort={sort}
                onSort={onSort}
                column={column}
                onRename={props.onRename}
                onRemove={props.onRemove}
              />
            ))}
            <div role="columnheader">
              <span className="sr-only">{t('Actions')}</span>
            </div>
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, key }) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                className="absolute inset-x-0 grid items-stretch border-b border-line hover:bg-hover"
                style={{ ...template, top: start, height: ROW_PX }}
              >
                <div role="rowheader" className="tabular truncate px-3 py-2 text-right text-sm text-faint">
                  {cellText(row['_id'])}
                </div>
                {table.columns.map((column, at) => {
                  const place = { row: index, column: at }
                  const isCurrent = current.row === index && current.column === at
                  return isCurrent && editing !== null ? (
                    <div key={column.id} role="gridcell" className="min-w-0 p-px">
                      <CellEditor
                        label={t('{{column}} of row {{row}}', {
                          column: column.name,
                          row: cellText(row['_id']),
                        })}
                        initial={editing.text}
                        onSave={(text, isDone) => {
                          save(place, text)
                          if (isDone !== null) move(index + isDone[0], at + isDone[1])
                        }}
                        onCancel={() => {
                          setEditing(null)
                          wantsFocus.current = true
                        }}
                      />
                    </div>
                  ) : (
                    <div
                      key={column.id}
                      role="gridcell"
                      data-cell={`${index}:${at}`}
                      tabIndex={isCurrent ? 0 : -1}
                      className={cx(
                        'min-w-0 cursor-default truncate border-l border-line px-2.5 py-1.5 outline-none',
                        'focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent',
                        (column.type === 'number' || column.type === 'datetime') && 'tabular',
                        column.type === 'json' && 'font-mono text-code',
                      )}
                      onFocus={() => setCurrent(place)}
                      onClick={(event) => event.currentTarget.focus()}
                      onDoubleClick={() => edit(place)}
                      onKeyDown={(event) => onCellKey(event, place)}
                    >
                      {cellText(row[column.name])}
                    </div>
                  )
                })}
                <div role="gridcell" className="flex items-center justify-center">
                  <IconButton
                    small
                    label={t('Delete row {{row}}', { row: cellText(row['_id']) })}
                    icon={Trash2}
                    needs={updateDataRowsRoute}
                    onClick={() => onDelete(row)}
                  />
                </div>
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
}

interface CellEditorProps {
  readonly label: string
  readonly initial: string
  /** Called with the cell to go to next, or null if the focus has left. */
  readonly onSave: (text: string, next: readonly [row: number, column: number] | null) => void
  readonly onCancel: () => void
}

function CellEditor({ label, initial, onSave, onCancel }: CellEditorProps) {
  const [text, setText] = useState(initial)
  const input = useRef<HTMLInputElement>(null)
  /** Keeps the blur after saving or canceling from saving again. */
  const isDone = useRef(false)
  useLayoutEffect(() => {
    input.current?.focus()
    input.current?.setSelectionRange(initial.length, initial.length)
  }, [initial])
  function save(next: readonly [number, number] | null): void {
    if (isDone.current) return
    isDone.current = true
    onSave(text, next)
  }
  return (
    <input
      ref={input}
      aria-label={label}
      className="h-full w-full rounded-sm border border-accent bg-surface px-2 outline-none"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => save(null)}
      onKeyDown={(event) => {
        const next =
          event.key === 'Enter' ? BELOW : event.key === 'Tab' ? (event.shiftKey ? BEFORE : AFTER) : null
        event.stopPropagation()
        if (next === null && event.key !== 'Escape') return
        event.preventDefault()
        if (next !== null) {
          save(next)
          return
        }
        isDone.current = true
        onCancel()
      }}
    />
  )
}

const BELOW = [1, 0] as const
const BEFORE = [0, -1] as const
const AFTER = [0, 1] as const

interface HeaderProps {
  readonly name: string
  readonly label: string
  readonly sort: string
  readonly onSort: (sort: string) => void
  /** Without it, the cell can't be changed. */
  readonly column?: Column
  readonly onRename?: (column: Column) => void
  readonly onRemove?: (column: Column) => void
}

function Header({ name, label, sort, onSort, column, onRename, onRemove }: HeaderProps) {
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none'
  const Arrow = order === 'descending' ? ArrowDown : ArrowUp
  return (
    <div
      role="columnheader"
      aria-sort={order}
      className="flex min-w-0 items-center justify-between gap-1 border-line px-2.5 text-sm font-medium text-muted not-first:border-l"
    >
      <button
        type="button"
        className="flex min-w-0 items-center gap-1 hover:text-text"
        title={column === undefined ? undefined : `${column.name} · ${column.type}`}
        onClick={() => onSort(order === 'ascending' ? `-${name}` : name)}
      >
        <span className="truncate">{label}</span>
        {order === 'none' ? null : <Arrow size={12} aria-hidden className="shrink-0" />}
      </button>
      {column === undefined ? null : (
        <Menu
          trigger={
            <IconButton small label={t('Column {{name}}', { name: column.name })} icon={ChevronDown} />
          }
          groups={[
            [
              {
                label: t('Rename'),
                icon: PencilLine,
                needs: updateDataTableRoute,
                onSelect: () => onRename?.(column),
              },
              {
                label: t('Remove'),
                icon: Trash2,
                danger: true,
                needs: updateDataTableRoute,
                onSelect: () => onRemove?.(column),
              },
            ],
          ]}
        />
      )}
    </div>
  )
}
