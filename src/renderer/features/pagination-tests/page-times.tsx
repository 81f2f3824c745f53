import { useMemo } from 'react'
import { Chart } from '../../components/charts/chart.tsx'
import type { ChartData } from '../../components/charts/series.ts'
import { usePagination } from '../../components/pagination/state/pagination-store.ts'
import type { PageLine } from '../../components/pagination/state/test-progress.ts'
import { formatDuration } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { type Slowdowns, slowdownsIn } from './slowdowns.ts'

/** The duration of each page and the wait before it, which shows where an API slows down or limits its callers. */
export function PageTimes() {
  const pages = usePagination((state) => state.progress.pages)
  const data = useMemo(() => timesOf(pages), [pages])
  if (data.at.length < LEAST_PAGES) return null
  const slow = slowdownsIn(pages)
  return (
    <>
      <Chart
        compact
        belowStrip
        height={72}
        label={t('Time per page')}
        data={data}
        unit="duration"
        axis={{ title: t('Page') }}
        none={t('No response yet')}
      />
      {slow === null ? null : (
        <p role="status" className="px-3 pb-2 text-sm text-muted">
          {wordsOf(slow)}
        </p>
      )}
    </>
  )
}

function wordsOf({ limited, waitedMs, slow, medianMs }: Slowdowns): string {
  return [
    limited.length === 0
      ? null
      : t('Rate-limited at {{pages}}: waited {{duration}}.', {
          pages: pagesOf(limited),
          duration: formatDuration(waitedMs),
        }),
    slow.length === 0
      ? null
      : t('Much slower than usual at {{pages}}: half of the pages took less than {{duration}}.', {
          pages: pagesOf(slow),
          duration: formatDuration(medianMs),
        }),
  ]
    .filter((part) => part !== null)
    .join(' ')
}

/** `page 3`, `pages 3, 7 and 9`, `pages 3, 4, 5 and 12 more` */
function pagesOf(pages: readonly number[]): string {
  const named = pages.slice(0, MOST_NAMED).join(', ')
  const more = pages.length - MOST_NAMED
  if (more > 0) return t('pages {{pages}} and {{count}} more', { pages: named, count: more })
  return pages.length === 1 ? t('page {{page}}', { page: named }) : t('pages {{pages}}', { pages: named })
}

const MOST_NAMED = 5

/** Fewer pages can be read just as quickly in the list. */
const LEAST_PAGES = 3

function timesOf(pages: readonly PageLine[]): ChartData {
  const read = pages.filter(({ attempts }) => attempts.some(({ response }) => response !== null))
  return {
    at: read.map(({ page }) => page),
    step: 1,
    bars: [
      {
        key: 'response',
        label: t('Response'),
        tone: 'main',
        values: read.map(({ attempts }) => sum(attempts.map(({ response }) => response?.duration_ms ?? 0))),
      },
      {
        key: 'wait',
        label: t('Waited'),
        tone: 'doubt',
        values: read.map(({ wait, attempts }) =>
          sum([wait?.wait_ms ?? 0, ...attempts.map(({ retry }) => retry?.wait_ms ?? 0)]),
        ),
      },
    ],
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
