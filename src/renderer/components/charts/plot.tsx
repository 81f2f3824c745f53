import {
  type KeyboardEvent,
  memo,
  type PointerEvent,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { cx } from '../../lib/cx.ts'
import { formatAxisTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import type { DrawnChartProps } from './chart-props.ts'
import {
  type Block,
  type Group,
  groupPoints,
  highestOf,
  numberTicks,
  pathOfBlocks,
  pathOfLine,
  rangeIn,
  stackBars,
  timeTicks,
  valueTicks,
} from './geometry.ts'
import { type ChartData, isEmpty, seriesOf, type Span, TONES } from './series.ts'
import { dashesOf, fillOf, Hatching, Swatch } from './swatch.tsx'
import { type Axis, type Unit, UNITS, wordsOfSpan } from './units.ts'

type PlotProps = DrawnChartProps & { readonly height: number }

const AXIS_PX = 18
const TOP_PX = 6
const TICK_ROOM_PX = 84
const LEAST_TICKED_PX = 100
/** The width of a page in the strip, with its gap. */
const STRIP_BAND_PX = 34
/** A shorter move of the pointer is a click. */
const LEAST_DRAG_PX = 4

/** A range of groups, both ends included. */
interface Marked {
  readonly anchor: number
  readonly at: number
}

/**
 * The drawing. The pointer shows values, selects a part of the axis by dragging, and clicks blocks; for the keyboard it
 * is a slider with the values as its text.
 */
export function Plot(props: PlotProps) {
  const { label, data, unit, axis = 'time', height, belowStrip = false, none, onSpan, onPick } = props
  const [frame, room] = useWidth()
  const width = belowStrip ? Math.min(room, data.at.length * STRIP_BAND_PX) : room
  const drawing = useMemo(() => drawingOf(data, unit, width, height), [data, unit, width, height])
  const { groups, band, blocks } = drawing
  const [marked, setMarked] = useState<Marked | null>(null)
  const [dragging, setDragging] = useState(false)
  const last = groups.length - 1
  // The data may have changed since.
  const at = marked === null ? null : Math.min(marked.at, last)
  const anchor = marked === null ? null : Math.min(marked.anchor, last)

  const groupAt = (event: PointerEvent) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left
    return Math.max(0, Math.min(last, Math.floor(x / band)))
  }
  const start = useRef(0)
  const hintId = useId()

  function onPointerUp(event: PointerEvent<HTMLElement>) {
    if (!dragging) return
    setDragging(false)
    const group = groupAt(event)
    setMarked({ anchor: group, at: group })
    if (onSpan !== undefined && Math.abs(event.clientX - start.current) >= LEAST_DRAG_PX) {
      onSpan(spanOf(data, groups, marked?.anchor ?? group, group))
      return
    }
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top
    const hit = data.bars?.find((_, index) =>
      blocks[index]?.some((one) => one.group === group && y >= one.top && y <= one.top + one.height),
    )
    if (hit !== undefined) onPick?.(hit.key)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const from = at ?? last
    if (event.key === 'Escape' && anchor !== at) setMarked({ anchor: from, at: from })
    else if (event.key === 'Enter' && onSpan !== undefined) onSpan(spanOf(data, groups, anchor ?? from, from))
    else if (event.key in MOVES) {
      const to = Math.max(0, Math.min(last, MOVES[event.key]?.(from, last) ?? from))
      setMarked({ at: to, anchor: event.shiftKey && onSpan !== undefined ? (anchor ?? from) : to })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  const span = at === null || anchor === null || last < 0 ? null : spanOf(data, groups, anchor, at)
  const values = span === null ? [] : valuesIn(data, groups, anchor ?? 0, at ?? 0)
  const words = span === null ? '' : wordsOfSpan(axis, span, data.step)
  const { format } = UNITS[unit]

  return (
    <div className="relative flex min-w-0" style={{ height }}>
      {onSpan === undefined ? null : (
        <span id={hintId} hidden>
          {t('Shift and the arrow keys select a time range, and Enter filters by it.')}
        </span>
      )}
      <ValueAxis drawing={drawing} unit={unit} belowStrip={belowStrip} />
      <div
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={onSpan === undefined ? undefined : hintId}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, at ?? last)}
        aria-valuetext={
          isEmpty(data)
            ? none
            : [words, ...values.map(({ series, value }) => `${series.label} ${textOf(value, format)}`)].join(
                ', ',
              )
        }
        className={cx(
          'relative min-w-0 flex-1 touch-pan-y rounded-sm outline-offset-2 select-none',
          onSpan !== undefined && 'cursor-crosshair',
        )}
        onPointerMove={(event) => {
          const group = groupAt(event)
          setMarked({ at: group, anchor: dragging ? (anchor ?? group) : group })
        }}
        onPointerLeave={() => (dragging ? undefined : setMarked(null))}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          start.current = event.clientX
          setMarked({ anchor: groupAt(event), at: groupAt(event) })
          setDragging(true)
          event.currentTarget.setPointerCapture(event.pointerId)
        }}
        onPointerUp={onPointerUp}
        onPointerCancel={() => setDragging(false)}
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          if (event.currentTarget.matches(':focus-visible') && marked === null)
            setMarked({ anchor: last, at: last })
        }}
        onBlur={() => setMarked(null)}
      >
        <svg aria-hidden width="100%" height={height} className="absolute inset-0 overflow-visible">
          <Marks data={data} drawing={drawing} axis={axis} width={width} height={height} />
          {at === null || anchor === null ? null : (
            <rect
              x={Math.min(at, anchor) * band}
              width={(Math.abs(at - anchor) + 1) * band}
              y={0}
              height={height - AXIS_PX}
              className={cx(at === anchor ? 'fill-text/6' : 'fill-chart-main/20 stroke-chart-main')}
            />
          )}
        </svg>
        {isEmpty(data) ? (
          <p
            className="absolute inset-x-0 top-0 grid place-items-center text-muted"
            style={{ height: height - AXIS_PX }}
          >
            <span className="rounded-sm bg-surface px-2">{none}</span>
          </p>
        ) : span === null ? null : (
          <div
            aria-hidden
            className={cx(
              'pointer-events-none absolute top-1 z-30 grid w-max max-w-64 gap-0.5 rounded border border-line bg-raised px-2.5 py-1.5 shadow-float',
            )}
            style={
              (at ?? 0) * 2 > last
                ? { right: room - Math.min(at ?? 0, anchor ?? 0) * band + 8 }
                : { left: (Math.max(at ?? 0, anchor ?? 0) + 1) * band + 8 }
            }
          >
            <span className="font-medium">{words}</span>
            {values.map(({ series, value, isBar }) => (
              <span key={series.key} className="flex items-center gap-1.5">
                <Swatch series={series} isLine={!isBar} />
                <span className="text-muted">{series.label}</span>
                <span className="tabular ml-auto pl-3 font-medium">{textOf(value, format)}</span>
              </span>
            ))}
          </div>
        )}
      </div>
    </div>
  )
}

const MOVES: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at, last) => at - Math.ceil(last / 10),
  PageUp: (at, last) => at + Math.ceil(last / 10),
  Home: () => 0,
  End: (_, last) => last,
}

interface Drawing {
  readonly groups: readonly Group[]
  /** The width of a group. */
  readonly band: number
  readonly blocks: readonly (readonly Block[])[]
  readonly ticks: readonly number[]
  readonly y: (value: number) => number
}

function drawingOf(data: ChartData, unit: Unit, width: number, height: number): Drawing {
  const groups = groupPoints(data.at.length, width)
  const highest = highestOf(data, groups)
  // In a low plot there is room only for the lowest and the highest value.
  const ticks = height < LEAST_TICKED_PX ? [0, Math.max(1, highest)] : valueTicks(highest, UNITS[unit].bases)
  const bottom = height - AXIS_PX
  const pixels = (value: number) => (value / (ticks.at(-1) ?? 1)) * (bottom - TOP_PX)
  return {
    groups,
    band: width / Math.max(1, groups.length),
    blocks: stackBars(data.bars ?? [], groups, pixels, bottom),
    ticks,
    y: (value) => bottom - pixels(value),
  }
}

interface ValueAxisProps {
  readonly drawing: Drawing
  readonly unit: Unit
  readonly belowStrip: boolean
}

function ValueAxis({ drawing: { ticks, y }, unit, belowStrip }: ValueAxisProps) {
  const { format } = UNITS[unit]
  const widest = ticks.map(format).toSorted((a, b) => b.length - a.length)[0] ?? ''
  return (
    <div
      aria-hidden
      className={cx('tabular relative mr-2 shrink-0 text-sm text-muted', belowStrip && 'w-12')}
    >
      <span className="invisible whitespace-nowrap">{widest}</span>
      {ticks.map((tick) => (
        <span
          key={tick}
          className="absolute right-0 -translate-y-1/2 whitespace-nowrap"
          style={{ top: y(tick) }}
        >
          {format(tick)}
        </span>
      ))}
    </div>
  )
}

interface MarksProps {
  readonly data: ChartData
  readonly drawing: Drawing
  readonly axis: Axis
  readonly width: number
  readonly height: number
}

/** Not rendered again while the pointer moves; only the layer above it is. */
const Marks = memo(function Marks({ data, drawing, axis, width, height }: MarksProps) {
  const { groups, band, blocks, ticks, y } = drawing
  const hatching = useId()
  return (
    <>
      <Hatching id={hatching} />
      {ticks.map((tick) => (
        <path
          key={tick}
          d={`M0 ${Math.round(y(tick)) + 0.5}h${width}`}
          className={tick === 0 ? 'stroke-line-control' : 'stroke-line'}
        />
      ))}
      {data.bars?.map(({ key, tone }, index) => (
        <path
          key={key}
          data-series={key}
          d={pathOfBlocks(blocks[index] ?? [], band)}
          {...fillOf(tone, hatching)}
        />
      ))}
      {data.lines?.map((series) => (
        <path
          key={series.key}
          data-series={series.key}
          d={pathOfLine(series, groups, band, y)}
          fill="none"
          strokeWidth={1.75}
          strokeLinejoin="round"
          strokeLinecap="round"
          strokeDasharray={dashesOf(series.tone)}
          className={TONES[series.tone].stroke}
        />
      ))}
      {axisTicks(data, axis, width).map(({ x, words }) => (
        <text
          key={x}
          x={x}
          y={height - 4}
          textAnchor={x < 16 ? 'start' : x > width - 16 ? 'end' : 'middle'}
          className="tabular fill-muted text-sm"
        >
          {words}
        </text>
      ))}
    </>
  )
})

/** Ticks are placed by the index of their point, since days can have 23 or 25 hours. */
function axisTicks({ at, step }: ChartData, axis: Axis, width: number) {
  const [from, until] = [at[0] ?? 0, (at.at(-1) ?? 0) + step]
  const most = Math.max(1, Math.floor(width / TICK_ROOM_PX))
  const ticks = axis === 'time' ? timeTicks(from, until, most) : numberTicks(from, until, most)
  const point = width / Math.max(1, at.length)
  return ticks.flatMap((tick) => {
    const index = at.findLastIndex((one) => one <= tick)
    if (index === -1) return []
    const within = axis === 'time' ? (tick - (at[index] ?? tick)) / step : 0.5
    return [
      {
        x: Math.round((index + within) * point),
        words: axis === 'time' ? formatAxisTime(tick) : String(tick),
      },
    ]
  })
}

function spanOf({ at, step }: ChartData, groups: readonly Group[], one: number, other: number): Span {
  const first = groups[Math.min(one, other)]?.first ?? 0
  const end = groups[Math.max(one, other)]?.end ?? 1
  return { from: at[first] ?? 0, until: at[end] ?? (at[end - 1] ?? 0) + step }
}

/** The values in a part of the axis: sums for bars, ranges for lines. */
function valuesIn(data: ChartData, groups: readonly Group[], one: number, other: number) {
  const part: Group = {
    first: groups[Math.min(one, other)]?.first ?? 0,
    end: groups[Math.max(one, other)]?.end ?? 0,
  }
  return seriesOf(data).map((series) => {
    const isBar = data.bars?.includes(series) === true
    return { series, isBar, value: rangeIn(series, part, isBar) }
  })
}

function textOf(value: ReturnType<typeof rangeIn>, format: (value: number) => string): string {
  if (value === null) return '–'
  return value.low === value.high ? format(value.high) : `${format(value.low)} – ${format(value.high)}`
}

function useWidth() {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null) return undefined
    setWidth(current.clientWidth)
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}
