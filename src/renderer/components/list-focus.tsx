/**
 * The focus of a list that opens at a button, where Base UI moves it only with the next frame: on a slow machine the keys
 * pressed until then would go to what has it still, and Enter after an arrow close the list without a choice.
 */
import { useImperativeHandle, useLayoutEffect, useRef } from 'react'
import type { ComponentProps, RefObject } from 'react'

/** A row that has the focus as soon as it is the highlighted one, which is the one that Tab would reach. */
export function FocusedRow({ ref, tabIndex, ...rest }: ComponentProps<'div'>) {
  const row = useRef<HTMLDivElement>(null)
  useImperativeHandle(ref, () => row.current as HTMLDivElement, [])
  useLayoutEffect(() => {
    if (tabIndex === 0) row.current?.focus({ preventScroll: true })
  }, [tabIndex])
  return <div ref={row} tabIndex={tabIndex} {...rest} />
}

interface ReturningFocus {
  readonly trigger: RefObject<HTMLButtonElement | null>
  readonly popup: RefObject<HTMLDivElement | null>
  readonly onOpenChange: (open: boolean) => void
}

/** Gives the focus back to the button as the list closes, not once it has gone. */
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
