import { useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'
import { PaneDivider, usePaneSize } from './pane-divider.tsx'

interface SplitPaneProps {
  /** The name under which the size is remembered. */
  readonly name: string
  readonly label: string
  readonly direction: 'row' | 'column'
  /** Which of the two keeps its size when the window changes: side by side the first one, otherwise the second. */
  readonly sized?: 'first' | 'second'
  readonly initial: number
  readonly min: number
  readonly max: number
  /** Keeps the panes side by side at any size; the caller guarantees enough room. */
  readonly isKept?: boolean
  /** Keeps the first pane from being larger than its content. */
  readonly isFitted?: boolean
  readonly children: readonly [ReactNode, ReactNode]
}

/** Two panes with a divider that is dragged, or moved with the arrow keys. */
export function SplitPane(props: SplitPaneProps) {
  const { name, label, direction, initial, min, max, isKept = false, isFitted = false, children } = props
  const sizesFirst = (props.sized ?? (direction === 'row' ? 'first' : 'second')) === 'first'
  const [size, resize] = usePaneSize(name, { initial, min, max })
  const [frame, stacked] = useIsNarrow(direction === 'row' && !isKept)
  const row = direction === 'row'

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
          ? { gridTemplateRows: 'minmax(14rem, 1fr) 1px minmax(22rem, 1.5fr)' }
          : { [row ? 'gridTemplateColumns' : 'gridTemplateRows']: tracks(sizesFirst, size, isFitted) }
      }
    >
      <div className="flex min-h-0 min-w-0 flex-col">{children[0]}</div>
      {stacked ? (
        <div className="bg-line" />
      ) : (
        <PaneDivider
          label={label}
          direction={direction}
          sizesFirst={sizesFirst}
          size={size}
          min={min}
          max={max}
          initial={initial}
          onResize={resize}
        />
      )}
      <div className="flex min-h-0 min-w-0 flex-col">{children[1]}</div>
    </div>
  )
}

function tracks(sizesFirst: boolean, size: number, isFitted: boolean): string {
  const first = `min(${size}px, 70%)`
  return sizesFirst
    ? `${isFitted ? `fit-content(${first})` : first} 1px minmax(0, 1fr)`
    : `minmax(0, 1fr) 1px min(${size}px, 80%)`
}

const NARROW_PX = 620

/** If two panes no longer fit side by side, for example at 200 % zoom, they are stacked. */
function useIsNarrow(watches: boolean) {
  const frame = useRef<HTMLDivElement>(null)
  const [narrow, setNarrow] = useState(false)
  useLayoutEffect(() => {
    if (!watches || frame.current === null) return undefined
    const { current } = frame
    // Also set immediately, so that the first painted frame is final.
    setNarrow(current.clientWidth < NARROW_PX)
    const observer = new ResizeObserver(([entry]) =>
      setNarrow((entry?.contentRect.width ?? NARROW_PX) < NARROW_PX),
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [watches])
  return [frame, narrow] as const
}
