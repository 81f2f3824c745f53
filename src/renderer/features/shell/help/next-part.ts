import { useEffect, useRef } from 'react'
import { useShortcut } from '../../../components/screen/shortcuts.tsx'
import { t } from '../../../lib/i18n.ts'

/** The parts of the window, in the order of F6. */
const PARTS = '#root nav[data-part], #content, [data-help-panel]'
const FOCUSABLE = 'a[href], button:not([disabled]), input, select, textarea, [tabindex="0"]'

/** F6 goes to the next part of the window, to the element that last had the focus there. */
export function useNextPart(): void {
  const before = useRef(new WeakMap<Element, HTMLElement>())
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      const part = target.closest(PARTS)
      if (part !== null) before.current.set(part, target)
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  useShortcut({ keys: 'f6', label: t('Next part of the window'), group: t('Everywhere') }, () => {
    // While there are notices, F6 leads to them.
    if (document.querySelector('[data-toasts] > *') !== null) return
    const parts = [...document.querySelectorAll<HTMLElement>(PARTS)]
    const at = parts.findIndex((part) => part.contains(document.activeElement))
    const next = parts[(at + 1) % parts.length]
    const known = next && before.current.get(next)
    const target = known?.isConnected ? known : next?.querySelector<HTMLElement>(FOCUSABLE)
    ;(target ?? next)?.focus()
  })
}
