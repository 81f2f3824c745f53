import { useMemo } from 'react'
import type { Figures } from '../../../shared/contract/figures/figures.ts'
import { useResource } from '../../api/resource.ts'
import { Chart } from '../../components/charts/chart.tsx'
import { chartOfFigures, countOf } from '../../components/charts/figures-data.ts'
import { Card } from '../../components/screen/page.tsx'
import { cx } from '../../lib/cx.ts'
import { formatCount, formatDuration, formatPercent } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { WEBHOOKS_OF_WEEK, WEEK } from './home.ts'

/** The last seven days: figures with their change from the seven days before, and the runs per hour. */
export function Week() {
  const { data: week, failure, reload } = useResource(WEEK)
  const { data: webhooks } = useResource(WEBHOOKS_OF_WEEK)
  const data = useMemo(() => (week === null ? null : chartOfFigures(week)), [week])
  return (
    <Card
      title={t('Last 7 days')}
      aside={<span className="text-sm text-muted">{t('Change from the previous 7 days')}</span>}
    >
      <dl className="grid grid-cols-4 gap-px border-b border-line bg-line max-md:grid-cols-2">
        {figuresOf(week, webhooks).map((figure) => (
          <FigureView key={figure.label} {...figure} />
        ))}
      </dl>
      <div className="px-4 py-3">
        <Chart
          label={t('Runs an hour')}
          data={data}
          failure={failure}
          onRetry={() => void reload()}
          unit="count"
          none={t('No runs in the last 7 days')}
        />
      </div>
    </Card>
  )
}

interface Figure {
  readonly label: string
  /** Null until it is read. */
  readonly value: string | null
  readonly change: Change | null
}

interface Change {
  readonly text: string
  readonly isUp: boolean
  /** Whether the change is good; null if it is neither good nor bad. */
  readonly isGood: boolean | null
}

function FigureView({ label, value, change }: Figure) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5 bg-surface px-4 py-3">
      <dt className="truncate text-muted">{label}</dt>
      <dd className="flex items-baseline gap-x-2 max-2xl:flex-col">
        <span className="tabular text-2xl font-semibold tracking-tight">{value ?? ' '}</span>
        {change === null ? null : (
          <span
            className={cx(
              'tabular font-medium whitespace-nowrap',
              change.isGood === null ? 'text-muted' : change.isGood ? 'text-success' : 'text-error',
            )}
          >
            {change.isUp ? '▲' : '▼'} {change.text}
          </span>
        )}
      </dd>
    </div>
  )
}

function figuresOf(week: Figures | null, webhooks: Figures | null): readonly Figure[] {
  return [
    { label: t('Runs'), ...counted(week) },
    { label: t('Worked'), ...shareOf(week) },
    { label: t('95% took at most'), ...slowest(week) },
    { label: t('Webhook requests'), ...counted(webhooks) },
  ]
}

type Values = Omit<Figure, 'label'>

const NOTHING: Values = { value: null, change: null }

function counted(figures: Figures | null): Values {
  if (figures === null) return NOTHING
  const count = countOf(figures.totals.counts)
  return {
    value: formatCount(count),
    change: changeOf(count, figures.before && countOf(figures.before.counts)),
  }
}

/** Cancelled runs neither worked nor failed. */
function shareOf(figures: Figures | null): Values {
  if (figures === null) return NOTHING
  const share = shareThatWorked(figures.totals.counts)
  if (share === null) return { value: '–', change: null }
  const before = figures.before === null ? null : shareThatWorked(figures.before.counts)
  const points = before === null ? 0 : share - before
  const isChanged = Math.abs(points) >= LEAST_POINTS
  return {
    value: formatPercent(share),
    change: isChanged
      ? { text: formatPercent(Math.abs(points)), isUp: points > 0, isGood: points > 0 }
      : null,
  }
}

const LEAST_POINTS = 0.0005

function shareThatWorked({ success = 0, error = 0 }: Readonly<Record<string, number>>): number | null {
  return success + error === 0 ? null : success / (success + error)
}

function slowest(figures: Figures | null): Values {
  if (figures === null) return NOTHING
  const ms = figures.totals.p95_ms
  if (ms === null) return { value: '–', change: null }
  const change = changeOf(ms, figures.before?.p95_ms ?? null)
  return { value: formatDuration(ms), change: change && { ...change, isGood: !change.isUp } }
}

/** Null if there is nothing to compare with, or hardly a change. */
function changeOf(value: number, before: number | null): Change | null {
  if (before === null || before === 0) return null
  const change = value / before - 1
  return Math.abs(change) < 0.005
    ? null
    : { text: formatPercent(Math.abs(change), 0), isUp: change > 0, isGood: null }
}
