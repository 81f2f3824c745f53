import { pathOfBlocks, stackBars } from './geometry.ts'
import { type Series, TONES } from './series.ts'

interface SparklineProps {
  /** The accessible name. */
  readonly label: string
  /** Stacked, the first at the bottom; all have the same number of values. */
  readonly bars: readonly Series[]
  readonly className?: string
}

const WIDTH = 112
const HEIGHT = 20

/** Bars without axes, for a row of a list. */
export function Sparkline({ label, bars, className }: SparklineProps) {
  const count = bars[0]?.values.length ?? 0
  const groups = Array.from({ length: count }, (_, first) => ({ first, end: first + 1 }))
  const most = Math.max(
    1,
    ...groups.map(({ first }) => bars.reduce((sum, { values }) => sum + (values[first] ?? 0), 0)),
  )
  const band = WIDTH / Math.max(1, count)
  const blocks = stackBars(bars, groups, (value) => (value / most) * (HEIGHT - 2), HEIGHT)
  return (
    <svg
      role="img"
      aria-label={label}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={className}
    >
      <path d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} className="stroke-line" />
      {bars.map(({ key, tone }, index) => (
        <path key={key} d={pathOfBlocks(blocks[index] ?? [], band)} className={TONES[tone].fill} />
      ))}
    </svg>
  )
}
