import { useMemo } from 'react'
import { Chart } from '../../components/charts/chart.tsx'
import type { ChartData } from '../../components/charts/series.ts'
import { usePagination } from '../../components/pagination/state/pagination-store.ts'
import type { PageLine } from '../../components/pagination/state/test-progress.ts'
import { t } from '../../lib/i18n.ts'

/** How long each page took, and how long was waited for it: where an API slows down, or limits its callers. */
export function PageTimes() {
  const pages = usePagination((state) => state.progress.pages)
  const data = useMemo(() => timesOf(pages), [pages])
  if (data.at.length < LEAST_PAGES) return null
  return (
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
  )
}

/** Fewer are as quickly read in the list. */
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
