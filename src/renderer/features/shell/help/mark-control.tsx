import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'

interface MarkProps {
  readonly elements: readonly HTMLElement[]
  /** Called when the user does something else, or has seen the mark long enough. */
  readonly onGone: () => void
}

const SEEN_MS = 6_000

/** A ring around a control and its label, which stays around them while the screen moves. */
export function Mark({ elements, onGone }: MarkProps) {
  const [box, setBox] = useState<DOMRect | null>(null)
  useEffect(() => {
    if (elements.length === 0) return undefined
    let frame = 0
    // Parts of the screen above can still be loading, and it can be scrolled.
    const follow = () => {
      const now = boxAround(elements)
      setBox((before) => (before !== null && isSame(before, now) ? before : now))
      frame = requestAnimationFrame(follow)
    }
    follow()
    const timer = setTimeout(onGone, SEEN_MS)
    addEventListener('pointerdown', onGone, true)
    addEventListener('keydown', onGone, true)
    return () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
      removeEventListener('pointerdown', onGone, true)
      removeEventListener('keydown', onGone, true)
      setBox(null)
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the same mark, however often the panel is drawn meanwhile
  }, [elements])
  if (box === null) return null
  const style = { left: box.x - 5, top: box.y - 5, width: box.width + 10, height: box.height + 10 }
  return createPortal(<div aria-hidden data-help-mark className="help-mark" style={style} />, document.body)
}

function isSame(one: DOMRect, other: DOMRect): boolean {
  return one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height
}

function boxAround(elements: readonly HTMLElement[]): DOMRect {
  const boxes = elements.map((element) => element.getBoundingClientRect())
  const left = Math.min(...boxes.map((box) => box.left))
  const top = Math.min(...boxes.map((box) => box.top))
  const right = Math.max(...boxes.map((box) => box.right))
  const bottom = Math.max(...boxes.map((box) => box.bottom))
  return new DOMRect(left, top, right - left, bottom - top)
}
