/** Keys as written in the page: `mod+s`, `alt+up`, `g f`. */
export function splitKeys(keys: string): readonly string[] {
  return keys.split(' ')
}

export interface PressedKey {
  readonly key: string
  readonly code?: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** Whether exactly this stroke was pressed. Shift counts only if it is written: `?` needs it on most keyboards. */
export function matchKey(stroke: string, event: PressedKey, mac = isMac()): boolean {
  const parts = stroke.split('+')
  const key = parts.at(-1) ?? ''
  const wants = (modifier: string) => parts.slice(0, -1).includes(modifier)
  const mod = mac ? event.metaKey : event.ctrlKey
  const other = mac ? event.ctrlKey : event.metaKey
  if (mod !== wants('mod') || other || event.altKey !== wants('alt')) return false
  if (wants('shift') && !event.shiftKey) return false
  if (!wants('shift') && event.shiftKey && key.length > 1) return false
  if (wants('mod') && !wants('shift') && event.shiftKey) return false
  const pressed = event.key.toLowerCase()
  return pressed === (NAMED[key] ?? key) || (event.altKey && event.code === `Key${key.toUpperCase()}`)
}

export function isMac(): boolean {
  return typeof navigator !== 'undefined' && navigator.platform.startsWith('Mac')
}

const NAMED: Readonly<Record<string, string>> = {
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
  esc: 'escape',
}
