import { createContext, use, useMemo, useRef, useState } from 'react'
import type { DragEvent, ReactNode } from 'react'
import { useSteady } from '../../../lib/use-steady.ts'
import type { ListPath, StepPath } from '../model/step-tree.ts'

interface Drag {
  /** The step that is being dragged. */
  readonly from: StepPath | null
  readonly started: (from: StepPath) => void
  readonly ended: () => void
  readonly dropped: (list: ListPath, index: number) => void
}

const DragContext = createContext<Drag>({
  from: null,
  started: () => undefined,
  ended: () => undefined,
  dropped: () => undefined,
})

/** Holds the dragged step. With the keyboard, Alt and the arrow keys do the same. */
export function StepDragProvider(props: {
  readonly onMove: (from: StepPath, list: ListPath, index: number) => void
  readonly children: ReactNode
}) {
  const { children } = props
  // Every row reads this context, so a new function at each key press would render them all again.
  const { onMove } = useSteady({ onMove: props.onMove })
  const [from, setFrom] = useState<StepPath | null>(null)
  const beginning = useRef<ReturnType<typeof setTimeout>>(undefined)
  const drag = useMemo((): Drag => {
    const end = () => {
      clearTimeout(beginning.current)
      setFrom(null)
    }
    return {
      from,
      // Deferred, since Chromium ends a drag at once if the page around the dragged element changes as it begins.
      started(path) {
        beginning.current = setTimeout(() => setFrom(path))
      },
      ended: end,
      dropped(list, index) {
        end()
        if (from !== null) onMove(from, list, index)
      },
    }
  }, [from, onMove])
  return <DragContext value={drag}>{children}</DragContext>
}

/** Makes a row draggable. */
export function useDragSource(path: StepPath) {
  const { started, ended } = use(DragContext)
  return {
    draggable: true,
    onDragStart(event: DragEvent) {
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('application/x-millrace-step', path.join('.'))
      started(path)
    },
    onDragEnd: ended,
  }
}

/** Indentation of a list of steps relative to the step that contains it. */
export const INDENT_PX = 20

interface DropHereProps {
  readonly list: ListPath
  readonly index: number
  /** A list without steps is a drop target with its own height. */
  readonly empty?: boolean
}

/**
 * A drop target for a dragged step: a line between two steps, present only while one is dragged. Several lists may end
 * at one place, so each line starts at its steps' indentation, by which the pointer selects one.
 */
export function DropHere({ list, index, empty }: DropHereProps) {
  const { from, dropped } = use(DragContext)
  const [over, setOver] = useState(false)
  const isInside = from?.every((part, at) => list[at] === part) === true
  if (from === null || isInside) return null
  const depth = list.filter((part) => typeof part === 'string' && part !== 'cases').length
  return (
    <div
      aria-hidden
      data-drop={[...list, index].join('.')}
      className={empty ? 'relative mx-3 h-6' : 'relative h-0'}
      style={{ zIndex: 20 + depth, marginLeft: depth * INDENT_PX }}
    >
      <div
        onDragOver={(event) => {
          event.preventDefault()
          event.dataTransfer.dropEffect = 'move'
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          dropped(list, index)
        }}
        className={empty ? 'absolute inset-0' : 'absolute -top-3 right-0 left-0 h-6'}
      >
        <div
          className={
            over ? 'absolute top-1/2 right-3 left-3 h-0.5 -translate-y-1/2 rounded-full bg-accent' : ''
          }
        />
      </div>
    </div>
  )
}
