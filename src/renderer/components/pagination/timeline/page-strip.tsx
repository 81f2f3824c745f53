import { CircleCheck, TriangleAlert } from '../../../lib/icons.tsx'
import { cx } from '../../../lib/cx.ts'
import { formatCount, plural } from '../../../lib/format.ts'
import { t, tn } from '../../../lib/i18n.ts'
import { usePagination } from '../state/pagination-store.ts'
import { type PageBar, pageBars } from './page-bars.ts'

interface PageStripProps {
  /** Whether the times of the pages, with the waits, are shown below it. */
  readonly aboveTimes?: boolean
}

/**
 * The pages of a test at a glance: a bar for each, as high as its number of records, and how many of the list's records
 * have been read.
 */
export function PageStrip({ aboveTimes = false }: PageStripProps) {
  const { status, pages, totalRecords, done } = usePagination((state) => state.progress)
  if (status === 'idle') return null
  const bars = pageBars(pages, status === 'failed')
  const most = Math.max(1, ...bars.map(({ records }) => records))
  const inDoubt = done?.complete === 'in_doubt'
  const total = done?.announced_total
  // A path or a filter that leaves out records makes a complete list shorter than the total that the API reports.
  const isOf = total !== undefined && (done?.complete !== true || total === totalRecords)
  const Icon = inDoubt ? TriangleAlert : CircleCheck
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
      <div
        role="img"
        aria-label={describe(bars)}
        className={cx(
          'flex h-14 min-w-60 flex-1 items-end gap-0.5 border-b border-line',
          aboveTimes && 'ml-14',
        )}
      >
        {bars.map((bar) =>
          aboveTimes && bar.kind === 'wait' ? null : (
            <Bar key={bar.id} bar={bar} height={bar.records / most} />
          ),
        )}
      </div>
      <p
        className={cx(
          'tabular flex flex-wrap items-baseline gap-x-2',
          aboveTimes && 'sm:w-48',
          inDoubt ? 'text-retrying' : status === 'failed' ? 'text-error' : undefined,
        )}
      >
        {done === null ? null : (
          <Icon size={16} aria-hidden className={cx('self-center', inDoubt ? undefined : 'text-success')} />
        )}
        <span className="text-2xl font-semibold">
          {isOf
            ? t('{{count}} of {{total}}', { count: formatCount(totalRecords), total: formatCount(total) })
            : formatCount(totalRecords)}
        </span>
        <span className={inDoubt ? undefined : 'text-muted'}>
          {isOf ? t('according to the API') : tn(totalRecords, 'record', 'records')}
        </span>
      </p>
    </div>
  )
}

function Bar({ bar, height }: { readonly bar: PageBar; readonly height: number }) {
  return (
    <span
      title={wordsOf(bar)}
      className={cx(
        'min-w-px flex-1 rounded-t-sm',
        bar.kind === 'wait' ? 'max-w-4' : 'max-w-8',
        LOOKS[bar.kind],
      )}
      style={{
        height: bar.kind === 'page' || bar.kind === 'doubt' ? `${Math.max(4, height * 100)}%` : '100%',
      }}
    />
  )
}

const LOOKS = {
  page: 'bg-running',
  doubt: 'bg-retrying',
  failed: 'bg-error-solid',
  wait: 'bg-[repeating-linear-gradient(135deg,var(--retrying)_0_2px,transparent_2px_5px)]',
  sending: 'animate-pulse bg-running-soft',
} as const satisfies { readonly [K in PageBar['kind']]: string }

function wordsOf({ kind, from, to, records }: PageBar): string {
  const page = from === to ? t('Page {{page}}', { page: from }) : t('Pages {{from}} to {{to}}', { from, to })
  if (kind === 'wait') return `${page}: ${t('waited or retried')}`
  if (kind === 'failed') return t('page {{page}} failed', { page: from })
  return `${page}: ${plural(records, 'record')}`
}

/** The same in a sentence; the list of pages has every figure. */
function describe(bars: readonly PageBar[]): string {
  const read = bars.filter(({ kind }) => kind === 'page' || kind === 'doubt')
  const waits = bars.filter(({ kind }) => kind === 'wait').length
  const failed = bars.find(({ kind }) => kind === 'failed')
  return [
    t('Records per page: {{counts}}', { counts: read.map(({ records }) => formatCount(records)).join(', ') }),
    ...(waits === 0 ? [] : [plural(waits, 'wait or retry', 'waits and retries')]),
    ...(failed === undefined ? [] : [t('page {{page}} failed', { page: failed.from })]),
  ].join('; ')
}
