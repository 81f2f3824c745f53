/**
 * The data of charts, and the appearance of each kind of value. Kinds differ in color, and in lightness or pattern too.
 */

/** Bars and lines of the same tone look alike in every chart. */
export const TONES = {
  main: { fill: 'fill-chart-main', stroke: 'stroke-chart-main', ground: 'bg-chart-main' },
  second: { fill: 'fill-chart-second', stroke: 'stroke-chart-second', ground: 'bg-chart-second' },
  quiet: { fill: 'fill-chart-quiet', stroke: 'stroke-chart-quiet', ground: 'bg-chart-quiet' },
  failed: { fill: 'fill-chart-failed', stroke: 'stroke-chart-failed', ground: 'bg-chart-failed' },
  /** Hatched. */
  doubt: { fill: 'fill-chart-doubt', stroke: 'stroke-chart-doubt', ground: 'hatched text-chart-doubt' },
} as const

export type Tone = keyof typeof TONES

export interface Series {
  readonly key: string
  readonly label: string
  readonly tone: Tone
  /** One for each point; null if nothing was measured there. */
  readonly values: readonly (number | null)[]
}

export interface ChartData {
  /** The start of each point: times in ms, or page numbers. */
  readonly at: readonly number[]
  /** The distance between two points. */
  readonly step: number
  /** Stacked, the first at the bottom. */
  readonly bars?: readonly Series[]
  readonly lines?: readonly Series[]
}

export interface Span {
  readonly from: number
  /** Exclusive. */
  readonly until: number
}

export const seriesOf = ({ bars = [], lines = [] }: ChartData) => [...bars, ...lines]

export const isEmpty = (data: ChartData) =>
  seriesOf(data).every(({ values }) => values.every((value) => (value ?? 0) === 0))

export const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
