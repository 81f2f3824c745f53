import { type ReactNode, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { Table2 } from '../../lib/icons.tsx'
import { IconButton } from '../controls/button.tsx'
import { ChartTable } from './chart-table.tsx'
import { type DrawnChartProps, HEIGHT_PX } from './chart-props.ts'
import { Plot } from './plot.tsx'
import { seriesOf, sumOf } from './series.ts'
import { Swatch } from './swatch.tsx'
import { UNITS } from './units.ts'

/** The chart with its legend, or its table. */
export function DrawnChart(props: DrawnChartProps) {
  const { label, compact = false, height = HEIGHT_PX } = props
  const [isTable, setTable] = useState(false)
  const legend = (
    <Legend {...props}>
      <IconButton
        small
        label={t('Show as table')}
        icon={Table2}
        aria-pressed={isTable}
        aria-description={label}
        onClick={() => setTable(!isTable)}
      />
    </Legend>
  )
  const content = isTable ? (
    <ChartTable {...props} height={Math.max(height, LEAST_TABLE_PX)} />
  ) : (
    <Plot {...props} height={height} />
  )
  return compact ? (
    <div className="flex min-w-0 items-start gap-4 max-sm:flex-col-reverse max-sm:gap-1">
      <div className="w-full min-w-0 flex-1">{content}</div>
      {legend}
    </div>
  ) : (
    <div className="flex min-w-0 flex-col gap-1">
      {legend}
      {content}
    </div>
  )
}

const LEAST_TABLE_PX = 160

/** The series with their totals; as buttons if clicking one filters. */
function Legend(props: DrawnChartProps & { readonly children: ReactNode }) {
  const { label, data, unit, compact = false, onPick, picked, children } = props
  const bars = data.bars ?? []
  // A legend next to the plot is in the order of the stack.
  const shown = compact ? seriesOf(data).toReversed() : seriesOf(data)
  return (
    <div className={cx('flex min-w-0 items-start gap-1', compact ? 'w-48 shrink-0 max-sm:w-full' : 'w-full')}>
      <ul
        aria-label={label}
        className={cx(
          'flex min-w-0 flex-1',
          compact ? 'flex-col max-sm:flex-row max-sm:flex-wrap' : 'flex-wrap gap-x-4',
        )}
      >
        {shown.map((series) => {
          const isBar = bars.includes(series)
          const words = (
            <>
              <Swatch series={series} isLine={!isBar} />
              <span className="min-w-0 truncate">{series.label}</span>
              {isBar ? (
                <span className="tabular ml-auto font-medium text-text">
                  {UNITS[unit].format(sumOf(series.values))}
                </span>
              ) : null}
            </>
          )
          const look = 'flex w-full min-w-0 items-center gap-1.5 text-muted'
          return (
            <li key={series.key} className="min-w-0">
              {onPick === undefined ? (
                <span className={cx(look, 'h-6')}>{words}</span>
              ) : (
                <button
                  type="button"
                  aria-pressed={picked === series.key}
                  className={cx(look, 'h-6 rounded-sm px-1.5 hover:bg-hover aria-pressed:bg-selected')}
                  onClick={() => onPick(series.key)}
                >
                  {words}
                </button>
              )}
            </li>
          )
        })}
      </ul>
      {children}
    </div>
  )
}
