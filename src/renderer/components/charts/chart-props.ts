import type { ChartData, Span } from './series.ts'
import type { Axis, Unit } from './units.ts'

export interface DrawnChartProps {
  /** What the values count, and the interval of each point: `Runs an hour`. */
  readonly label: string
  readonly data: ChartData
  readonly unit: Unit
  /** Defaults to times in ms. */
  readonly axis?: Axis
  /** The height of the plot, with its axis. */
  readonly height?: number
  /** Puts the legend next to the plot, for a chart above a list. */
  readonly compact?: boolean
  /** Aligns the bars with those of the page strip above. */
  readonly belowStrip?: boolean
  /** Shown if all values are 0. */
  readonly none: string
  /** Called when a part is chosen by dragging, or with Shift, arrow keys and Enter. */
  readonly onSpan?: ((span: Span) => void) | undefined
  /** Called when a series is clicked, in its bars or in the legend. */
  readonly onPick?: ((key: string) => void) | undefined
  /** The series that the list below is filtered by. */
  readonly picked?: string | undefined
}

export const HEIGHT_PX = 180
