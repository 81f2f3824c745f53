/** Turns numbers into positions in a chart. */
import type { ChartData, Series } from './series.ts'

/** Consecutive points that are drawn as one, since there are more points than room. */
export interface Group {
  readonly first: number
  /** Exclusive. */
  readonly end: number
}

const LEAST_GROUP_PX = 3

export function groupPoints(count: number, width: number): readonly Group[] {
  const most = Math.max(1, Math.floor(width / LEAST_GROUP_PX))
  const size = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / size) }, (_, index) => ({
    first: index * size,
    end: Math.min(count, (index + 1) * size),
  }))
}

/** Adds up the values of bars; keeps the lowest and the highest value of lines. */
export function rangeIn({ values }: Series, { first, end }: Group, isBar: boolean) {
  let [low, high, sum] = [Infinity, -Infinity, 0]
  for (let index = first; index < end; index += 1) {
    const value = values[index] ?? null
    if (value === null) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
    sum += value
  }
  if (isBar) return { low: sum, high: sum }
  return low > high ? null : { low, high }
}

/** The height of the stacked bars or of the highest line. */
export function highestOf({ bars = [], lines = [] }: ChartData, groups: readonly Group[]): number {
  return groups.reduce((highest, group) => {
    const stack = bars.reduce((sum, series) => sum + (rangeIn(series, group, true)?.high ?? 0), 0)
    const line = Math.max(0, ...lines.map((series) => rangeIn(series, group, false)?.high ?? 0))
    return Math.max(highest, stack, line)
  }, 0)
}

const NICE = [1, 2, 5, 10]

/**
 * At most four round values, from 0 to at least the highest.
 *
 * @param bases sizes of the units in which they are written: 60,000 for minutes
 */
export function valueTicks(highest: number, bases: readonly number[], wanted = 3): readonly number[] {
  const base = bases.findLast((one) => one <= highest) ?? bases[0] ?? 1
  const rough = Math.max(highest, base) / base / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const nice = (NICE.find((one) => one * power >= rough * 0.999) ?? 10) * power
  // The smallest unit has no fractions.
  const step = base === bases[0] ? Math.max(1, nice) * base : nice * base
  return Array.from(
    { length: Math.max(1, Math.ceil(highest / step - 0.001)) + 1 },
    (_, index) => index * step,
  )
}

const MINUTES = [1, 5, 15, 30, 60, 120, 180, 360, 720]
const DAYS = [1, 2, 7, 14, 28, 91, 182, 364]
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Round times in this computer's time zone. */
export function timeTicks(from: number, until: number, most: number): readonly number[] {
  const fits = (ms: number) => (until - from) / ms <= most
  const minutes = MINUTES.find((one) => fits(one * MINUTE_MS))
  const days = DAYS.find((one) => fits(one * DAY_MS)) ?? 364
  const start = new Date(from)
  const tick = (index: number) =>
    minutes === undefined
      ? new Date(start.getFullYear(), start.getMonth(), start.getDate() + index * days)
      : new Date(start.getFullYear(), start.getMonth(), start.getDate(), 0, index * minutes)
  const found: number[] = []
  for (let index = 0, at = tick(0).getTime(); at < until; index += 1, at = tick(index).getTime())
    if (at >= from) found.push(at)
  return found
}

/** Whole numbers of pages or runs. */
export function numberTicks(from: number, until: number, most: number): readonly number[] {
  const rough = Math.max(1, (until - from) / Math.max(1, most))
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = (NICE.find((one) => one * power >= rough) ?? 10) * power
  const first = Math.ceil(from / step) * step
  return Array.from({ length: Math.max(0, Math.ceil((until - first) / step)) }, (_, n) => first + n * step)
}

/** Every value other than 0 must be visible. */
const LEAST_BAR_PX = 2

export interface Block {
  readonly group: number
  readonly top: number
  readonly height: number
}

/** The blocks of each series of bars. */
export function stackBars(
  bars: readonly Series[],
  groups: readonly Group[],
  pixels: (value: number) => number,
  height: number,
): readonly (readonly Block[])[] {
  const tops = groups.map(() => height)
  return bars.map((series) =>
    groups.flatMap((group, index): Block[] => {
      const value = rangeIn(series, group, true)?.high ?? 0
      if (value <= 0) return []
      const blockHeight = Math.max(LEAST_BAR_PX, pixels(value))
      const top = (tops[index] ?? height) - blockHeight
      tops[index] = top
      return [{ group: index, top, height: blockHeight }]
    }),
  )
}

export function pathOfBlocks(blocks: readonly Block[], band: number): string {
  const gap = band > 24 ? 3 : band > 8 ? 2 : band > 3 ? 1 : 0
  const width = round(band - gap)
  return blocks
    .map(
      ({ group, top, height }) =>
        `M${round(group * band + gap / 2)} ${round(top)}h${width}v${round(height)}h${-width}z`,
    )
    .join('')
}

/** The path has gaps where nothing was measured; a value between two gaps is a short line. */
export function pathOfLine(
  series: Series,
  groups: readonly Group[],
  band: number,
  y: (value: number) => number,
): string {
  let isDrawing = false
  const ranges = groups.map((group) => rangeIn(series, group, false))
  return ranges
    .map((range, index) => {
      if (range === null) {
        isDrawing = false
        return ''
      }
      const x = round((index + 0.5) * band)
      const start = `${isDrawing ? 'L' : 'M'}${x} ${round(y(range.high))}`
      const isAlone = !isDrawing && (ranges[index + 1] ?? null) === null
      const level = isDrawing ? '' : isAlone ? `m${-ALONE_PX / 2} 0h${ALONE_PX}` : 'h0'
      const rest = range.low === range.high ? level : `L${x} ${round(y(range.low))}`
      isDrawing = true
      return start + rest
    })
    .join('')
}

const ALONE_PX = 6
const round = (pixels: number) => Math.round(pixels * 10) / 10
