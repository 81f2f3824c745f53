import { useMemo } from 'react'
import type { FlowActivity } from '../../../shared/contract/flow-runs.ts'
import { Chart } from '../../components/charts/chart.tsx'
import { type Series, sumOf } from '../../components/charts/series.ts'
import { Card } from '../../components/screen/page.tsx'
import { useNow } from '../../components/values/time.tsx'
import { t } from '../../lib/i18n.ts'

const HOUR_MS = 3_600_000
const HOURS = 24

/** The runs of all flows in the last 24 hours. */
export function LastDay({ activity }: { readonly activity: readonly FlowActivity[] }) {
  const hour = Math.floor(useNow() / HOUR_MS)
  const data = useMemo(() => {
    const sums = Array.from({ length: HOURS }, (_, at) => ({
      success: sumOf(activity.map(({ hours }) => hours[at]?.success ?? 0)),
      error: sumOf(activity.map(({ hours }) => hours[at]?.error ?? 0)),
    }))
    const at = sums.map((_, index) => (hour - HOURS + 1 + index) * HOUR_MS)
    return { at, step: HOUR_MS, bars: barsOf(sums) }
  }, [activity, hour])
  return (
    <Card title={t('Last 24 hours')}>
      <div className="p-4">
        <Chart label={t('Runs an hour')} data={data} unit="count" none={t('No runs yet')} />
      </div>
    </Card>
  )
}

export function barsOf(hours: FlowActivity['hours']): readonly Series[] {
  return [
    { key: 'success', label: t('Worked'), tone: 'main', values: hours.map(({ success }) => success) },
    { key: 'error', label: t('Failed'), tone: 'failed', values: hours.map(({ error }) => error) },
  ]
}
