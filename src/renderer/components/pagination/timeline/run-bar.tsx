import { Download, Ellipsis } from '../../../lib/icons.tsx'
import { useEffect, useState } from 'react'
import { IconButton } from '../../controls/button.tsx'
import { Menu } from '../../controls/menu.tsx'
import { stateWord } from '../../values/status-badge.tsx'
import { useSaveHar } from '../../values/save-har.ts'
import { cx } from '../../../lib/cx.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../../../lib/format.ts'
import { t, tn } from '../../../lib/i18n.ts'
import { usePagination } from '../state/pagination-store.ts'
import { harCalls } from '../state/har-calls.ts'
import { sentPages } from '../state/test-progress.ts'
import { expectedPages } from './timeline-rows.ts'

/** The progress in one line, with the elapsed time and, if the number of pages is limited, the share done so far. */
export function RunBar() {
  const progress = usePagination((state) => state.progress)
  const startedAt = usePagination((state) => state.startedAt)
  const maxPages = usePagination((state) => state.form.maxPages)
  const { status, pages, totalRecords, bytes, done } = progress
  const moving = status === 'running' || status === 'paused'
  const endedAt = usePagination((state) => state.endedAt)
  const elapsed = useElapsed(startedAt, endedAt)
  const sent = sentPages(pages)
  const expected = expectedPages(maxPages)
  const saveHar = useSaveHar()
  const share = expected === null ? null : Math.min(1, sent / expected)
  return (
    <div className="relative flex shrink-0 items-center border-b border-line">
      <dl className="tabular flex min-h-10 min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-0.5 px-3 py-1.5 whitespace-nowrap">
        <Figure name={tn(sent, 'page', 'pages')} value={formatCount(sent)} />
        <Figure name={tn(totalRecords, 'record', 'records')} value={formatCount(totalRecords)} />
        <Figure name={t('received')} value={formatBytes(bytes)} />
        <Figure
          name={status === 'paused' ? stateWord('paused') : ''}
          value={formatDuration(done?.duration_ms ?? elapsed)}
        />
      </dl>
      {sent === 0 ? null : (
        <Menu
          trigger={<IconButton label={t('More')} icon={Ellipsis} className="mr-2" />}
          groups={[
            [
              {
                label: t('Export HTTP requests (HAR)'),
                icon: Download,
                onSelect: () =>
                  void saveHar('pagination-test.har', harCalls(progress, performance.timeOrigin)),
              },
            ],
          ]}
        />
      )}
      <div
        role="progressbar"
        aria-label={t('Test progress')}
        aria-valuetext={`${plural(sent, 'page')}, ${plural(totalRecords, 'record')}`}
        {...(share === null ? {} : { 'aria-valuenow': Math.round(share * 100) })}
        className="absolute inset-x-0 -bottom-px h-0.5 overflow-hidden"
      >
        {moving ? (
          <div
            className={cx(
              'h-full',
              status === 'paused' ? 'bg-paused' : 'bg-running',
              share === null && status === 'running' && 'animate-pulse',
            )}
            style={{ width: `${(share ?? 1) * 100}%` }}
          />
        ) : null}
      </div>
    </div>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex items-baseline gap-1">
      <dt className="order-2 text-sm text-muted">{name}</dt>
      <dd className="font-medium">{value}</dd>
    </div>
  )
}

const TICK_MS = 100

function useElapsed(startedAt: number | null, endedAt: number | null): number {
  const moving = startedAt !== null && endedAt === null
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    if (!moving) return undefined
    const timer = setInterval(() => setNow(performance.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [moving])
  return startedAt === null ? 0 : Math.max(0, (endedAt ?? now) - startedAt)
}
