/** The position of toasts: bottom right, but never over the part of the screen in use. */

interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface ToastPlace {
  readonly left: number
  readonly top: number
}

const MARGIN = 16
/** The distance from the bottom, above the status bar. */
const BOTTOM = 40
const STEP = 16

/** Popups above the screen, and the buttons that complete a form. */
const IN_USE =
  '[role="dialog"], [role="alertdialog"], [data-help-panel], [role="listbox"], [role="menu"], .cm-tooltip, [data-look="primary"]'
const SHEETS = '[role="dialog"], [role="alertdialog"], [data-help-panel]'

/**
 * The bottom right corner of the window, or of the part that a sheet on the right leaves free. Toasts move up as far as
 * they must in order to cover nothing in use, and come back.
 *
 * @param region the element to place; controls inside it don't count as in use
 */
export function freePlace(region: HTMLElement): ToastPlace {
  const { width, height } = region.getBoundingClientRect()
  const [right, bottom] = [innerWidth - width - MARGIN, innerHeight - height - BOTTOM]
  const inUse = rectsOf(region, IN_USE, focusedRect(region))
  const isFree = ({ left, top }: ToastPlace) =>
    !inUse.some((rect) => overlaps(rect, { left, top, right: left + width, bottom: top + height }))
  const beside = rectsOf(region, SHEETS).map((sheet) => sheet.left - width - MARGIN)
  for (const left of [right, ...beside.filter((one) => one >= MARGIN)])
    for (let top = bottom; top >= MARGIN; top -= STEP) if (isFree({ left, top })) return { left, top }
  return { left: right, top: bottom }
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
