import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { t } from '../../../lib/i18n.ts'
import { usePagination } from '../state/pagination-store.ts'
import { RunBar } from './run-bar.tsx'
import { RunEnd } from './run-end.tsx'
import { TIMELINE_GRID, TIMELINE_WIDTH, TimelineEntry } from './timeline-entry.tsx'
import { timelineRows } from './timeline-rows.ts'

interface TimelineProps {
  readonly chosen: number | null
  readonly onChoose: (page: number) => void
  /** Whether the end of the run is shown elsewhere. */
  readonly isOpenEnded?: boolean
}

const ROW_PX = 28

/** The pages as they are fetched, with their waits, and how the run ended. Arrow keys move from page to page. */
export function Timeline({ chosen, onChoose, isOpenEnded = false }: TimelineProps) {
  const pages = usePagination((state) => state.progress.pages)
  const status = usePagination((state) => state.progress.status)
  const scroller = useRef<HTMLDivElement>(null)
  const isDry = usePagination((state) => state.mode === 'dry')
  const hasEnded = status !== 'running' && status !== 'paused'
  const rows = useMemo(() => timelineRows(pages, { isDry, hasEnded }), [pages, isDry, hasEnded])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  // The area below the last row counts as one more row.
  useFollowing(scroller, rows.length + (status === 'running' ? 0 : 1))

  function moveTo(page: number) {
    const target = Math.max(0, Math.min(page, pages.at(-1)?.page ?? 0))
    onChoose(target)
    virtual.scrollToIndex(rows.findIndex((row) => row.line.page === target))
  }

  function onKeyDown(event: KeyboardEvent) {
    const at = chosen ?? 0
    const last = pages.at(-1)?.page ?? 0
    const target = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: last,
      PageDown: at + 10,
      PageUp: at - 10,
    }[event.key]
    if (target === undefined) return
    event.preventDefault()
    moveTo(target)
  }

  return (
    <section aria-label={t('Timeline')} className="flex min-h-0 flex-1 flex-col">
      <RunBar />
      {/* The pages are a table. If it is wider than its pane, its header scrolls with it. */}
      <div data-wide className="flex min-h-0 flex-1 flex-col overflow-x-auto">
        <div
          className={`${TIMELINE_GRID} ${TIMELINE_WIDTH} h-8 shrink-0 border-b border-line text-sm font-medium text-muted`}
        >
          <span>{t('Page')}</span>
          <span>{t('Status')}</span>
          <span className="text-right">{t('Time')}</span>
          <span className="text-right">{t('Size')}</span>
          <span className="text-right">{t('Records')}</span>
          <span className="text-right">{t('Total')}</span>
          <span className="text-right" title={t('Configuration used')}>
            {t('Config')}
          </span>
        </div>
        <div ref={scroller} className={`${TIMELINE_WIDTH} min-h-0 flex-1 overflow-x-hidden overflow-y-auto`}>
          <div
            role="listbox"
            tabIndex={0}
            aria-label={t('Pages')}
            aria-activedescendant={chosen === null || rows.length === 0 ? undefined : `page-${chosen}`}
            onKeyDown={onKeyDown}
            className="relative focus-visible:-outline-offset-2"
            style={{ height: virtual.getTotalSize() }}
          >
            {virtual.getVirtualItems().map((item) => {
              const row = rows[item.index]
              if (row === undefined) return null
              return (
                <TimelineEntry
                  key={row.id}
                  row={row}
                  top={item.start}
                  chosen={row.line.page === chosen}
                  onChoose={() => onChoose(row.line.page)}
                />
              )
            })}
          </div>
          {isOpenEnded ? null : <RunEnd />}
        </div>
      </div>
    </section>
  )
}

const NEAR_PX = 60

/** While pages arrive, the newest stays in view unless somebody has scrolled away from it. */
function useFollowing(scroller: React.RefObject<HTMLDivElement | null>, count: number) {
  const following = useRef(true)
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const onScroll = () => {
      following.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => element.removeEventListener('scroll', onScroll)
  }, [scroller])
  useEffect(() => {
    if (count <= 1) following.current = true
    if (following.current) scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [scroller, count])
}
