/** Sets the focus in a step's form by the visible labels, whichever form it is. */
const CONTROLS = 'input:not([type="checkbox"]), textarea, .cm-content'

/** In a hidden pane nothing takes the focus before it is rendered. */
export function focusFirst(form: HTMLElement | null): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('input, textarea, .cm-content')?.focus())
}

/** The first required field, otherwise the first that characterizes the step. */
export function focusRequired(form: HTMLElement | null): void {
  const fields = form?.querySelector('[data-step-fields]')
  const controls = [...(fields?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])].filter(
    (control) =>
      control.getAttribute('aria-hidden') !== 'true' && control.closest('[data-optional]') === null,
  )
  const target = controls.find(isEmpty) ?? fields?.querySelector<HTMLElement>(`${CONTROLS}, button`)
  target?.focus()
}

function isEmpty(control: HTMLElement): boolean {
  if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)
    return control.value === ''
  return control.querySelector('.cm-placeholder') !== null || control.textContent === ''
}

/** The control with this label; for a dictionary one of its names. False if no such label is visible. */
export function focusField(form: HTMLElement | null, label: string, name: string | undefined): boolean {
  const labels = [...(form?.querySelectorAll('label') ?? [])]
  const box = labels.find(({ firstChild }) => firstChild?.textContent === label)?.parentElement?.parentElement
  const named = [...(box?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])].find(
    (control) => name !== undefined && control.getAttribute('aria-label')?.includes(name) === true,
  )
  const values = [...(box?.querySelectorAll<HTMLElement>('.cm-content') ?? [])]
  const target = named ?? values[0] ?? box?.querySelector<HTMLElement>(`${CONTROLS}, button`)
  target?.focus()
  return target !== undefined && target !== null
}
