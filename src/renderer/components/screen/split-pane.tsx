import { useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'
import { recall, remember } from '../../lib/remembered.ts'

interface SplitPaneProps {
  /** Under this name the size is remembered. */
  readonly name: string
  readonly label: string
  readonly direction: 'row' | 'column'
  /** Which of the two keeps its size while the window changes: side by side the first one, else the second. */
  readonly sized?: 'first' | 'second'
  readonly initial: number
  readonly min: number
  readonly max: number
  /** The least height of each where they are one above the other. */
  readonly stacked?: readonly [first: string, second: string]
  readonly children: readonly [ReactNode, ReactNode]
}

/** Two panes with a line between them that is dragged, or moved with the arrow keys. */
export function SplitPane(props: SplitPaneProps) {
  const { name, label, direction, initial, min, max, children } = props
  const [leastFirst, leastSecond] = props.stacked ?? ['14rem', '22rem']
  const sizesFirst = (props.sized ?? (direction === 'row' ? 'first' : 'second')) === 'first'
  const key = `pane.${name}`
  const [size, setSize] = useState(() => clamp(Number(recall(key) ?? initial), min, max))
  const drag = useRef<{ from: number; size: number } | null>(null)
  const [frame, stacked] = useIsNarrow(direction === 'row')
  const row = direction === 'row'

  function resize(next: number) {
    setSize(clamp(next, min, max))
    remember(key, String(clamp(next, min, max)))
  }

  function onPointerMove(event: PointerEvent) {
    if (drag.current === null) return
    const moved = (row ? event.clientX : event.clientY) - drag.current.from
    resize(drag.current.size + (sizesFirst ? moved : -moved))
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
    resize(size + change)
  }

  return (
    <div
      ref={frame}
      className={cx(
        'grid min-h-0 min-w-0 flex-1',
        row && !stacked ? 'grid-rows-[minmax(0,1fr)]' : 'grid-cols-[minmax(0,1fr)]',
        stacked && 'overflow-y-auto',
      )}
      style={
        stacked
          ? { gridTemplateRows: `minmax(${leastFirst}, 1fr) 1px minmax(${leastSecond}, 1.5fr)` }
          : { [row ? 'gridTemplateColumns' : 'gridTemplateRows']: tracks(sizesFirst, size) }
      }
    >
      <div className="flex min-h-0 min-w-0 flex-col">{children[0]}</div>
      {stacked ? (
        <div className="bg-line" />
      ) : (
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
          onDoubleClick={() => resize(initial)}
          className={cx(
            'relative z-10 bg-line transition-colors duration-100 hover:bg-accent focus-visible:bg-accent',
            'before:absolute before:content-[""]',
            row
              ? 'cursor-col-resize before:inset-y-0 before:-right-1.5 before:-left-1.5'
              : 'cursor-row-resize before:inset-x-0 before:-top-1.5 before:-bottom-1.5',
          )}
        />
      )}
      <div className="flex min-h-0 min-w-0 flex-col">{children[1]}</div>
    </div>
  )
}

function tracks(sizesFirst: boolean, size: number): string {
  return sizesFirst ? `min(${size}px, 70%) 1px minmax(0, 1fr)` : `minmax(0, 1fr) 1px min(${size}px, 80%)`
}

const NARROW_PX = 620

/** Where two panes no longer fit side by side, at 200 % zoom for instance, they stand one above the other. */
function useIsNarrow(watches: boolean) {
  const frame = useRef<HTMLDivElement>(null)
  const [narrow, setNarrow] = useState(false)
  useLayoutEffect(() => {
    if (!watches || frame.current === null) return undefined
    const { current } = frame
    // At once too, so that the first painted frame is the one that stays.
    setNarrow(current.clientWidth < NARROW_PX)
    const observer = new ResizeObserver(([entry]) =>
      setNarrow((entry?.contentRect.width ?? NARROW_PX) < NARROW_PX),
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [watches])
  return [frame, narrow] as const
}

function clamp(value: number, min: number, max: number): number {
  return Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : min
}
