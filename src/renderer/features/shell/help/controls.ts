import { t } from '../../../lib/i18n.ts'

const NAMED =
  'label, legend, [aria-label], button, a[href], [role="tab"], [role="button"], h1, h2, h3, th, [role="columnheader"]'

/** The name of a control, as screen readers announce it. */
export function nameOf(element: Element): string {
  const ids = element.getAttribute('aria-labelledby')
  if (ids !== null)
    return ids
      .split(' ')
      .map((id) => wordsOf(document.getElementById(id)))
      .join(' ')
  const label = element.getAttribute('aria-label')
  if (label !== null) return label
  return wordsOf(labelOf(element) ?? element)
}

/** The name of the group that a control belongs to: the days of a schedule, the methods of a webhook. */
export function nameOfGroup(element: Element): string | null {
  const legend = element.closest('fieldset')?.querySelector(':scope > legend') ?? null
  return legend === null ? null : wordsOf(legend)
}

/** A button that opens a list has a label too. */
function labelOf(element: Element): HTMLLabelElement | undefined {
  return element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLButtonElement
    ? element.labels?.[0]
    : undefined
}

/** The elements on the screen with this name: buttons, tabs and headings, and labels with the controls they name. */
export function findControl(within: ParentNode, name: string): readonly HTMLElement[] {
  const found = [...within.querySelectorAll<HTMLElement>(NAMED)].filter(
    (element) => (element.matches('label') ? wordsOf(element) : nameOf(element)) === name && isShown(element),
  )
  // A button sometimes has the same name as a heading; controls come first.
  const [first] = [...found.filter((element) => !/^H\d$/.test(element.tagName)), ...found]
  if (first === undefined) return []
  const control = first instanceof HTMLLabelElement ? controlOf(first) : null
  return control === null ? [first] : [first, control]
}

/** If HTML doesn't connect a label with its control, the control names the label itself. */
function controlOf(label: HTMLLabelElement): HTMLElement | null {
  // A switch also has a hidden checkbox, which forms send.
  if (label.control !== null && isShown(label.control)) return label.control
  if (label.id === '') return null
  return document.querySelector<HTMLElement>(`[aria-labelledby~="${CSS.escape(label.id)}"]`)
}

function isShown(element: HTMLElement): boolean {
  const { width, height } = element.getBoundingClientRect()
  return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true })
}

/** The text of a label, without the word "optional". */
function wordsOf(element: Element | null): string {
  const text = (element?.textContent ?? '').trim()
  const optional = t('optional')
  return text.endsWith(optional) && text !== optional ? text.slice(0, -optional.length).trim() : text
}
