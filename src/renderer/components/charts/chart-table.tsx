import { t } from '../../lib/i18n.ts'
import type { DrawnChartProps } from './chart-props.ts'
import { seriesOf } from './series.ts'
import { UNITS, wordsOfSpan } from './units.ts'

const MOST_ROWS = 1_000

/** The values of a chart; points without any are left out. */
export function ChartTable(props: DrawnChartProps & { readonly height: number }) {
  const { label, data, unit, axis = 'time', none, height } = props
  const { at, step } = data
  const series = seriesOf(data)
  const rows = at.flatMap((from, index) => {
    const values = series.map(({ values: all }) => all[index] ?? null)
    return values.every((value) => (value ?? 0) === 0)
      ? []
      : [{ from, until: at[index + 1] ?? from + step, values }]
  })
  const { format } = UNITS[unit]
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <div role="region" aria-label={label} tabIndex={0} className="overflow-auto" style={{ height }}>
      <table className="w-full text-sm">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 bg-surface text-left text-muted">
          <tr>
            <th scope="col" className="py-1 pr-4 font-medium">
              {axis === 'time' ? t('Time') : axis.title}
            </th>
            {series.map(({ key, label: name }) => (
              <th key={key} scope="col" className="py-1 pl-4 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(-MOST_ROWS).map(({ from, until, values }) => (
            <tr key={from} className="border-t border-line">
              <th scope="row" className="py-1 pr-4 text-left font-normal whitespace-nowrap">
                {wordsOfSpan(axis, { from, until }, step)}
              </th>
              {values.map((value, index) => (
                <td key={series[index]?.key} className="py-1 pl-4 text-right">
                  {value === null ? '–' : format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 ? <p className="py-2 text-sm text-muted">{none}</p> : null}
      {rows.length > MOST_ROWS ? (
        <p className="py-2 text-sm text-muted">
          {t('Only the last {{count}} are shown.', { count: MOST_ROWS })}
        </p>
      ) : null}
    </div>
  )
}
