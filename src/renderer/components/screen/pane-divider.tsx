import { useRef, useState } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { cx } from '../../lib/cx.ts'
import { recall, remember } from '../../lib/remembered.ts'

interface PaneSize {
  readonly initial: number
  readonly min: number
  readonly max: number
}

/** The size of a pane, remembered under its name. */
export function usePaneSize(name: string, { initial, min, max }: PaneSize) {
  const key = `pane.${name}`
  const [size, setSize] = useState(() => clamp(Number(recall(key) ?? initial), min, max))
  const resize = (next: number) => {
    setSize(next)
    remember(key, String(next))
  }
  return [size, resize] as const
}

interface PaneDividerProps {
  readonly label: string
  readonly direction: 'row' | 'column'
  /** The pane with the fixed size is before the divider, otherwise after it. */
  readonly sizesFirst: boolean
  readonly size: number
  readonly min: number
  readonly max: number
  readonly initial: number
  readonly onResize: (size: number) => void
  readonly className?: string
}

/** The divider between two panes: drag it, or move it with the arrow keys. */
export function PaneDivider(props: PaneDividerProps) {
  const { label, direction, sizesFirst, size, initial, min, max, onResize, className } = props
  const drag = useRef<{ from: number; size: number } | null>(null)
  const row = direction === 'row'

  function onPointerMove(event: PointerEvent) {
    if (drag.current === null) return
    const moved = (row ? event.clientX : event.clientY) - drag.current.from
    onResize(clamp(drag.current.size + (sizesFirst ? moved : -moved), min, max))
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = {
      ArrowLeft: row ? -16 : 0,
      ArrowRight: row ? 16 : 0,
      ArrowUp: row ? 0 : -16,
      ArrowDown: row ? 0 : 16,
    }
    const change = (step[event.key as keyof typeof step] ?? 0) * (sizesFirst ? 1 : -1)
    if (change === 0) return
    event.preventDefault()
    onResize(clamp(size + change, min, max))
  }

  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={row ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(size)}
      aria-valuemin={min}
      aria-valuemax={max}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        drag.current = { from: row ? event.clientX : event.clientY, size }
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => (drag.current = null)}
      // A double click restores the initial size.
      onDoubleClick={() => onResize(initial)}
      className={cx(
        'relative z-10 bg-line transition-colors duration-100 hover:bg-accent focus-visible:bg-accent',
        'before:absolute before:content-[""]',
        row
          ? 'cursor-col-resize before:inset-y-0 before:-right-1.5 before:-left-1.5'
          : 'cursor-row-resize before:inset-x-0 before:-top-1.5 before:-bottom-1.5',
        className,
      )}
    />
  )
}

function clamp(value: number, min: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : min
}
