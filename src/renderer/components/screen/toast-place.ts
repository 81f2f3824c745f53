/** Where toasts are shown: never on what is being worked on. */

interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface ToastPlace {
  readonly left: number
  readonly top: number
  /** The corner of the window, so that toasts stay in it as long as they can; null between the corners. */
  readonly corner: number | null
}

const MARGIN = 16
/** Above the status bar, below the header. */
const BOTTOM = 40
const TOP = 56
const STEP = 16

/** What is open above the screen, and the buttons that finish the work. */
const IN_USE =
  '[role="dialog"], [role="alertdialog"], [role="listbox"], [role="menu"], .cm-tooltip, [data-look="primary"]'
const CONTROLS = 'button, a[href], input, textarea, select, [role="tab"], [contenteditable="true"]'

/**
 * The corner where they are, if it covers nothing in use. Otherwise the first corner that covers no control, then the
 * first that covers none in use, then the first such place from the bottom up.
 *
 * @param region what is placed; controls in it are its own
 */
export function freePlace(region: HTMLElement, corner: number | null): ToastPlace {
  const { width, height } = region.getBoundingClientRect()
  const [right, bottom] = [innerWidth - width - MARGIN, innerHeight - height - BOTTOM]
  const corners: readonly ToastPlace[] = [
    { left: right, top: bottom, corner: 0 },
    { left: MARGIN, top: bottom, corner: 1 },
    { left: right, top: TOP, corner: 2 },
    { left: MARGIN, top: TOP, corner: 3 },
  ]
  const inUse = rectsOf(region, IN_USE, focusedRect(region))
  const isFree = (rects: readonly Rect[]) => (place: ToastPlace) => {
    const box = { ...place, right: place.left + width, bottom: place.top + height }
    return !rects.some((rect) => overlaps(rect, box))
  }
  const free = corners.filter(isFree(inUse))
  const place = free.find((one) => one.corner === corner) ?? free.find(isFree(rectsOf(region, CONTROLS)))
  if (place !== undefined) return place
  const between: ToastPlace[] = []
  for (let top = bottom; top >= MARGIN; top -= STEP)
    for (const left of [right, MARGIN, (innerWidth - width) / 2]) between.push({ left, top, corner: null })
  return free[0] ?? between.find(isFree(inUse)) ?? (corners[0] as ToastPlace)
}

function rectsOf(region: HTMLElement, selector: string, more: Rect | null = null): readonly Rect[] {
  const rects = [...document.querySelectorAll<HTMLElement>(selector)]
    .filter((element) => !region.contains(element) && !element.contains(region))
    .map((element): Rect => element.getBoundingClientRect())
    .filter(({ left, right, top, bottom }) => right > left && bottom > top)
  return more === null ? rects : [...rects, more]
}

/** The focused field; if it is taller than half the window, the line of the cursor. */
function focusedRect(region: HTMLElement): Rect | null {
  const focused = document.activeElement
  if (focused === null || focused === document.body || region.contains(focused)) return null
  const rect = (focused.closest('.cm-editor') ?? focused).getBoundingClientRect()
  if (rect.height <= innerHeight / 2) return rect
  const selection = document.getSelection()
  if (selection === null || selection.rangeCount === 0 || !focused.contains(selection.anchorNode)) return null
  const line = selection.getRangeAt(0).getBoundingClientRect()
  return { left: rect.left, right: rect.right, top: line.top - STEP, bottom: line.bottom + STEP }
}

function overlaps(a: Rect, b: Rect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
