import type { ReactFlowInstance } from '@xyflow/react'
import { type RefObject, useEffect, useEffectEvent } from 'react'
import type { CanvasEdge } from './canvas-line.tsx'
import type { CanvasNode } from './canvas-nodes.tsx'
import type { CanvasBox, CanvasLayout } from './layout.ts'

/** Leaves room at the bottom for the toolbar. */
export const FIT = {
  padding: { x: '32px', top: '32px', bottom: '64px' },
  maxZoom: 1,
  duration: 0,
  minZoom: 0.02,
} as const

/** Keeps the chosen step visible, and the middle of the flow in the middle, when the canvas changes its width. */
export function useChosenInView(
  flow: Flow,
  area: RefObject<HTMLDivElement | null>,
  chosen: CanvasBox | undefined,
): void {
  // Steps selected by keyboard are scrolled into view, without a jump if they are already visible.
  useEffect(() => {
    if (chosen !== undefined) bringIntoView(flow, chosen)
  }, [flow, chosen])

  const resized = useEffectEvent((byX: number) => {
    const { x, ...others } = flow.getViewport()
    void flow.setViewport({ ...others, x: x + byX / 2 })
    if (chosen !== undefined) bringIntoView(flow, chosen)
  })
  useEffect(() => {
    if (area.current === null) return undefined
    let width = area.current.clientWidth
    const sizes = new ResizeObserver(([entry]) => {
      const present = entry?.contentRect.width ?? width
      resized(present - width)
      width = present
    })
    sizes.observe(area.current)
    return () => sizes.disconnect()
  }, [area])
}

/** Shows the whole flow if it stays readable; otherwise its beginning, fitted to the width. */
export function showBeginning(flow: Flow, { width, height }: CanvasLayout): void {
  const area = document.querySelector('.react-flow')?.getBoundingClientRect()
  if (area === undefined) return
  const whole = Math.min((area.width - 2 * MARGIN) / width, (area.height - 3 * MARGIN) / height)
  if (whole >= READABLE) void flow.fitView(FIT)
  else {
    const zoom = Math.min(1, Math.max(READABLE, (area.width - 2 * MARGIN) / width))
    void flow.setViewport({ x: (area.width - width * zoom) / 2, y: MARGIN, zoom })
  }
}

const READABLE = 0.6
const MARGIN = 32

type Flow = ReactFlowInstance<CanvasNode, CanvasEdge>

export function bringIntoView(flow: Flow, box: CanvasBox): void {
  const area = document.querySelector('.react-flow')?.getBoundingClientRect()
  if (area === undefined || !flow.viewportInitialized) return
  const { zoom } = flow.getViewport()
  const corner = flow.flowToScreenPosition({ x: box.x, y: box.y })
  const isInside =
    corner.x >= area.left &&
    corner.y >= area.top &&
    corner.x + box.width * zoom <= area.right &&
    corner.y + box.height * zoom <= area.bottom
  if (isInside) return
  void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom, duration: 0 })
}
