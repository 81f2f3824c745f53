/**
 * The focus when popups open and close. Base UI moves it only in the next frame, so on a slow machine, the keys pressed
 * until then would go to the previously focused element, so that a name is typed into nothing and Enter closes a list
 * without a choice.
 */
import { useImperativeHandle, useLayoutEffect, useRef } from 'react'
import type { ComponentProps, RefObject } from 'react'

/** For the `initialFocus` of Base UI, which then doesn't move the focus itself. */
export function focusAtOnce(element: HTMLElement | null | undefined): false {
  element?.focus()
  return false
}

/** A list row that takes the focus as soon as it is highlighted, which is when its `tabIndex` becomes 0. */
export function FocusedRow({ ref, tabIndex, ...rest }: ComponentProps<'div'>) {
  const row = useRef<HTMLDivElement>(null)
  useImperativeHandle(ref, () => row.current as HTMLDivElement, [])
  useLayoutEffect(() => {
    if (tabIndex === 0) row.current?.focus({ preventScroll: true })
  }, [tabIndex])
  return <div ref={row} tabIndex={tabIndex} {...rest} />
}

/** Returns the focus when a dialog starts to close, not once it is gone. */
export function useFocusBefore(open: boolean, popup: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    if (!open) return undefined
    const before = document.activeElement
    return () => queueMicrotask(() => giveBack(popup, before))
  }, [open, popup])
}

function giveBack(popup: RefObject<HTMLElement | null>, before: Element | null): void {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || !popup.current?.contains(focused)) return
  if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus()
  else focused.blur()
}

interface ReturningFocus {
  readonly trigger: RefObject<HTMLButtonElement | null>
  readonly popup: RefObject<HTMLDivElement | null>
  readonly onOpenChange: (open: boolean) => void
}

/** Returns the focus to the button when the list starts to close, not once it is gone. */
export function useReturningFocus(): ReturningFocus {
  const trigger = useRef<HTMLButtonElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  return {
    trigger,
    popup,
    onOpenChange(open) {
      if (!open && popup.current?.contains(document.activeElement))
        queueMicrotask(() => trigger.current?.focus())
    },
  }
}
