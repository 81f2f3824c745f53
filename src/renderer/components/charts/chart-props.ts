import type { ChartData, Span } from './series.ts'
import type { Axis, Unit } from './units.ts'

export interface DrawnChartProps {
  /** The values and what each point is: `Runs an hour`. */
  readonly label: string
  readonly data: ChartData
  readonly unit: Unit
  /** Absent: times in ms. */
  readonly axis?: Axis
  /** The height of the plot, with its axis. */
  readonly height?: number
  /** The legend is next to the plot, for a chart above a list. */
  readonly compact?: boolean
  /** Its bars stand below those of the strip of pages, and are as wide. */
  readonly belowStrip?: boolean
  /** Shown if there is no value but 0. */
  readonly none: string
  /** A part was chosen by dragging, or with Shift, arrow keys and Enter. */
  readonly onSpan?: ((span: Span) => void) | undefined
  /** A series was clicked, in its bars or in the legend. */
  readonly onPick?: ((key: string) => void) | undefined
  /** The series that the list below is filtered by. */
  readonly picked?: string | undefined
}

export const HEIGHT_PX = 180
