import { BaseEdge, EdgeLabelRenderer } from '@xyflow/react'
import type { Edge, EdgeProps } from '@xyflow/react'
import type { Label, Point } from './layout.ts'

interface CanvasEdgeData extends Record<string, unknown> {
  readonly points: readonly Point[]
  readonly label: Label | null
  /** Whether the shown run took this path. */
  readonly ran: boolean
}

export type CanvasEdge = Edge<CanvasEdgeData, 'line'>

/** A line from a step to the next one; the first line of a branch has the branch's name. */
export function CanvasLine({ data, markerEnd = '' }: EdgeProps<CanvasEdge>) {
  if (data === undefined) return null
  const { points, label, ran } = data
  return (
    <>
      <BaseEdge
        path={roundedPath(points)}
        markerEnd={markerEnd}
        style={{ stroke: ran ? 'var(--running)' : 'var(--line-control)', strokeWidth: ran ? 2 : 1.25 }}
      />
      {label === null ? null : (
        <EdgeLabelRenderer>
          <span
            className="absolute max-w-40 truncate rounded-full border border-line bg-raised px-1.5 text-sm text-muted"
            style={{ transform: `translate(-50%, -50%) translate(${label.at[0]}px, ${label.at[1]}px)` }}
          >
            {label.text}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  )
}

const RADIUS = 8

/** Straight segments joined by rounded corners, if the segments are long enough. */
function roundedPath(points: readonly Point[]): string {
  return points
    .map(([x, y], index) => {
      const [before, after] = [points[index - 1], points[index + 1]]
      if (before === undefined) return `M${x} ${y}`
      if (after === undefined) return `L${x} ${y}`
      const [from, to] = [towards([x, y], before), towards([x, y], after)]
      return `L${from[0]} ${from[1]} Q${x} ${y} ${to[0]} ${to[1]}`
    })
    .join(' ')
}

function towards([x, y]: Point, [toX, toY]: Point): Point {
  const length = Math.hypot(toX - x, toY - y)
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length
  return [x + (toX - x) * part, y + (toY - y) * part]
}
