import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { t } from '../../lib/i18n.ts'

/** True once the user agrees to lose unsaved changes. */
export function mayLeave(question = t('Leave without saving your changes?')): boolean {
  return window.confirm(question)
}

/**
 * Asks before another screen replaces an unsaved form.
 *
 * @returns to be called before the screen itself navigates after saving or deleting
 */
export function useUnsaved(dirty: boolean, question?: string): () => void {
  const leaving = useRef(false)
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      !leaving.current &&
      current.pathname !== next.pathname &&
      // What is open is kept in the meantime, and comes back with its state.
      !('for' in next.search) &&
      !mayLeave(question),
    enableBeforeUnload: () => dirty,
    disabled: !dirty,
  })
  return () => {
    leaving.current = true
  }
}
