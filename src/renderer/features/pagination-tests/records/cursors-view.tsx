import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { formatJson } from '../../../lib/json.ts'
import { usePagination } from '../../../components/pagination/state/pagination-store.ts'
import type { PageLine } from '../../../components/pagination/state/test-progress.ts'
import { ScrollRegion } from '../../../components/screen/scroll-region.tsx'

const ROW_PX = 26

/**
 * Every value of the templates, page by page: how the cursor moves, and where it ends. A star means that it was never
 * used.
 */
export function CursorsView() {
  const chosen = usePagination((state) => state.chosen)
  const pages = usePagination((state) => state.progress.pages)
  const onChoose = usePagination((state) => state.pageChosen)
  const { expressions, rows } = useMemo(() => cursorTable(pages), [pages])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  if (expressions.length === 0)
    return (
      <p className="p-3 text-muted">
        {t('No template values yet. Templates are used from the second request on.')}
      </p>
    )
  const template = { gridTemplateColumns: `3.5rem repeat(${expressions.length}, minmax(9rem, 1fr))` }
  return (
    <ScrollRegion ref={scroller} label={t('Cursors by page')}>
      <div
        role="table"
        aria-label={t('Cursors')}
        aria-rowcount={rows.length + 1}
        style={{ minWidth: 56 + expressions.length * 160 }}
      >
        <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-surface">
          <div
            role="row"
            className="grid h-8 items-center gap-x-3 px-3 text-sm font-medium text-muted"
            style={template}
          >
            <span role="columnheader">{t('Page')}</span>
            {expressions.map((expression) => (
              <span
                key={expression}
                role="columnheader"
                title={expression}
                className="truncate font-mono font-normal"
              >
                {expression}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            return (
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- pages are chosen by keyboard in the timeline
              <div
                key={row.page}
                role="row"
                tabIndex={-1}
                aria-rowindex={item.index + 2}
                onClick={() => onChoose(row.page)}
                className={cx(
                  'absolute inset-x-0 grid h-[26px] items-center gap-x-3 px-3 font-mono text-code',
                  row.page === chosen ? 'bg-selected' : 'hover:bg-hover',
                )}
                style={{ ...template, top: item.start }}
              >
                <Cells row={row} expressions={expressions} />
              </div>
            )
          })}
        </div>
      </div>
    </ScrollRegion>
  )
}

function Cells({ row, expressions }: { readonly row: CursorRow; readonly expressions: readonly string[] }) {
  return (
    <>
      <span role="cell" className={cx('tabular font-sans text-base', !row.sent && 'text-faint')}>
        {row.page}
        {row.sent ? '' : '*'}
      </span>
      {expressions.map((expression) => (
        <span key={expression} role="cell" className="truncate">
          <Cell cell={row.cells.get(expression)} />
        </span>
      ))}
    </>
  )
}

function Cell({ cell }: { readonly cell: CursorCell | undefined }) {
  if (cell === undefined) return <span className="text-faint">—</span>
  if (cell.missing || cell.value === null)
    return <span className="font-sans text-retrying">{t('nothing')}</span>
  const text = typeof cell.value === 'string' ? cell.value : formatJson(cell.value, 0)
  return <span title={text}>{text}</span>
}

/** The result of one expression for one page. */
interface CursorCell {
  readonly value: unknown
  readonly missing: boolean
}

interface CursorRow {
  readonly page: number
  readonly sent: boolean
  readonly configIndex: number | null
  /** Keyed by expression. */
  readonly cells: ReadonlyMap<string, CursorCell>
}

interface CursorTable {
  /** The expressions, in order of first occurrence. */
  readonly expressions: readonly string[]
  readonly rows: readonly CursorRow[]
}

/** Every value of the templates, over all pages: how the cursor moves and where it ends. */
export function cursorTable(pages: readonly PageLine[]): CursorTable {
  const expressions = new Set<string>()
  const rows = pages.flatMap(({ page, plan, attempts }): CursorRow[] => {
    if (plan === null || plan.templates.length === 0) return []
    const taken = plan.templates.flatMap((template) => template.taken)
    for (const { source } of taken) expressions.add(source)
    const cells = new Map(taken.map(({ source, value, missing }) => [source, { value, missing }]))
    return [{ page, sent: attempts.length > 0, configIndex: plan.config_index, cells }]
  })
  return { expressions: [...expressions], rows }
}
