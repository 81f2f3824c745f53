import { lazy, Suspense } from 'react'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { t } from '../../lib/i18n.ts'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { type DrawnChartProps, HEIGHT_PX } from './chart-props.ts'
import type { ChartData } from './series.ts'

export interface ChartProps extends Omit<DrawnChartProps, 'data'> {
  /** Null until it is read. */
  readonly data: ChartData | null
  readonly failure?: AppError | null
  readonly onRetry?: () => void
}

/** Only screens with a chart load the code that draws it. */
const DrawnChart = lazy(async () => ({ default: (await import('./drawn-chart.tsx')).DrawnChart }))

/** Bars stacked over time, lines, or both; its values can be read with the pointer, with arrow keys, and as a table. */
export function Chart({ data, failure = null, onRetry, ...props }: ChartProps) {
  const { label, compact = false, height = HEIGHT_PX } = props
  const ghost = <GhostChart height={compact ? height : height + LEGEND_PX} />
  if (data !== null)
    return (
      <Suspense fallback={ghost}>
        <DrawnChart data={data} {...props} />
      </Suspense>
    )
  if (failure === null) return ghost
  return (
    <ErrorNotice
      error={failure}
      title={t('Couldn’t load {{what}}', { what: `“${label}”` })}
      onRetry={onRetry}
    />
  )
}

const LEGEND_PX = 28
const GHOST_BARS = [30, 44, 38, 62, 54, 70, 48, 36, 58, 76, 64, 40, 52, 68, 46, 34, 60, 72, 56, 42]

/** A placeholder for the bars. */
function GhostChart({ height }: { readonly height: number }) {
  return (
    <div role="status" aria-label={t('Loading')} style={{ height }}>
      <div aria-hidden className="late-pulse flex h-full items-end gap-1 pb-5">
        {GHOST_BARS.map((share) => (
          <span key={share} className="flex-1 rounded-t-sm bg-line" style={{ height: `${share}%` }} />
        ))}
      </div>
    </div>
  )
}
