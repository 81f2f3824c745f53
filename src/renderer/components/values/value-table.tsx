import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { tn } from '../../lib/i18n.ts'
import { toJsonPath } from '../../lib/json-rows.ts'
import { formatJson } from '../../lib/json.ts'

interface ValueTableProps {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly label: string
}

const ROW_PX = 28
const MOST_COLUMNS = 40
const ROWS_LOOKED_AT = 200
const SHOWN_CHARACTERS = 200

/** A list of objects as a table: a column for each key, whatever the length of the list. */
export function ValueTable({ rows, label }: ValueTableProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const columns = columnsOf(rows)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  const template = { gridTemplateColumns: `4rem repeat(${columns.length}, minmax(9rem, 1fr))` }
  return (
    <div
      ref={scroller}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keyboard
      tabIndex={0}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      className="min-h-0 flex-1 overflow-auto text-sm focus-visible:-outline-offset-2"
    >
      <div style={{ minWidth: `${4 + columns.length * 10}rem` }}>
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
          <div role="row" aria-rowindex={1} className="grid h-7 items-center gap-x-3 px-3" style={template}>
            <span role="columnheader" className="text-faint">
              #
            </span>
            {columns.map((column) => (
              <span key={column} role="columnheader" className="truncate font-mono font-medium text-muted">
                {column}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative font-mono" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              className="absolute inset-x-0 grid h-7 items-center gap-x-3 border-b border-line px-3 hover:bg-hover"
              style={{ ...template, top: start }}
            >
              <span role="rowheader" className="tabular text-faint">
                {index}
              </span>
              {columns.map((column) => (
                <Cell key={column} value={rows[index]?.[column]} />
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function Cell({ value }: { readonly value: unknown }) {
  const text = textOf(value)
  return (
    <span role="cell" className="truncate" title={text}>
      {text}
    </span>
  )
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return `[${tn(value.length, '{{count}} item', '{{count}} items')}]`
  if (typeof value === 'object' && value !== null) {
    const count = Object.keys(value).length
    return count > 4
      ? `{${tn(count, '{{count}} key', '{{count}} keys')}}`
      : formatJson(value, 0).slice(0, SHOWN_CHARACTERS)
  }
  return (typeof value === 'string' ? value : formatJson(value)).slice(0, SHOWN_CHARACTERS)
}

function columnsOf(rows: ValueTableProps['rows']): readonly string[] {
  const columns = new Set<string>()
  for (const row of rows.slice(0, ROWS_LOOKED_AT)) for (const key of Object.keys(row ?? {})) columns.add(key)
  return [...columns].slice(0, MOST_COLUMNS)
}

interface FoundTable {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** Its place in the value, as a JSONPath. */
  readonly path: string
}

/** Responses often wrap their list: `{ body: { contacts: […] } }`. */
const DEEPEST = 2

/** The list of objects that a value is or contains; null if there is none. */
export function findTable(value: unknown): FoundTable | null {
  let level: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value, path: [] }]
  for (let depth = 0; depth <= DEEPEST; depth++) {
    for (const { value: each, path } of level)
      if (isTable(each)) return { rows: each, path: toJsonPath(path) }
    level = level.flatMap(({ value: each, path }) =>
      isDictionary(each)
        ? Object.entries(each).map(([key, item]) => ({ value: item, path: [...path, key] }))
        : [],
    )
  }
  return null
}

function isTable(value: unknown): value is FoundTable['rows'] {
  return Array.isArray(value) && value.length > 0 && value.slice(0, ROWS_LOOKED_AT).every(isDictionary)
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
