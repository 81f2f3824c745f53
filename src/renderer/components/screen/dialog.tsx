import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from '../../lib/icons.tsx'
import { useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { matchKey } from '../../lib/keys.ts'
import { BACKDROP_CLASS, CENTRE_CLASS, POPUP_CLASS } from './confirm-dialog.tsx'
import { focusAtOnce, useFocusBefore } from '../controls/popup-focus.tsx'
import { LeaveQuestion, useUnsaved } from './unsaved.tsx'
import { useOneAtATime } from '../controls/use-one-at-a-time.ts'

interface DialogProps {
  readonly open: boolean
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** Buttons at the lower right. */
  readonly actions?: ReactNode
  readonly wide?: boolean
  /** A sheet at the right edge, as high as the window, so that the form it belongs to stays visible. */
  readonly side?: boolean
  /** Only its own buttons close it, not Escape, a click outside or a close button. */
  readonly insistent?: boolean
  /** Whether it has unsaved changes: closing it other than with its own buttons then asks first. */
  readonly unsaved?: boolean
  /** Called on Ctrl+Enter, wherever the focus is in the dialog. */
  readonly onSubmit?: () => Promise<unknown> | void
}

export function Dialog({
  open,
  title,
  onClose,
  children,
  actions,
  wide,
  side = false,
  insistent,
  unsaved = false,
  onSubmit,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  useFocusBefore(open, popup)
  const [asking, setAsking] = useState(false)
  const submit = useOneAtATime(() => onSubmit?.())
  return (
    <BaseDialog.Root
      open={open}
      disablePointerDismissal={insistent ?? false}
      onOpenChange={(next, details) => {
        if (next) return
        // The second click of a double-click on the button that opened it.
        const isSecond = details.event instanceof UIEvent && details.event.detail > 1
        if (insistent || (details.reason === 'outside-press' && isSecond)) details.cancel()
        else if (unsaved) {
          details.cancel()
          setAsking(true)
        } else onClose()
      }}
    >
      {open && unsaved ? <AskBeforeLeaving /> : null}
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP_CLASS} />
        <BaseDialog.Popup
          ref={popup}
          initialFocus={() =>
            focusAtOnce(
              popup.current?.querySelector<HTMLElement>(NAMED_FOCUS) ??
                popup.current?.querySelector<HTMLElement>(FIRST_FIELD) ??
                popup.current,
            )
          }
          onKeyDownCapture={(event) => {
            // A key that is still held from opening the dialog doesn't submit it.
            if (onSubmit === undefined || event.repeat || !matchKey('mod+enter', event.nativeEvent)) return
            event.preventDefault()
            event.stopPropagation()
            void submit()
          }}
          onKeyDown={pressPrimary}
          className={cx(
            POPUP_CLASS,
            side ? SIDE_CLASS : CENTRE_CLASS,
            wide ? 'w-[min(52rem,94vw)]' : 'w-[min(34rem,94vw)]',
          )}
        >
          <header className="flex items-center justify-between gap-4 border-b border-line py-2.5 pr-2.5 pl-4">
            <BaseDialog.Title className="text-lg font-semibold">{title}</BaseDialog.Title>
            {insistent ? null : (
              // The button has no tooltip: while one is shown, the first Escape would only close that.
              <BaseDialog.Close aria-label={t('Close')} className={CLOSE_CLASS}>
                <X size={15} aria-hidden />
              </BaseDialog.Close>
            )}
          </header>
          <div
            data-help-place
            className="max-h-1/2 shrink-0 overflow-y-auto border-b border-line empty:hidden"
          />
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
          <LeaveQuestion open={asking} onLeave={onClose} onStay={() => setAsking(false)} />
          {actions === undefined ? null : (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
              {actions}
            </footer>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

/** Enter in a line of text presses the main button, as in a form, in dialogs without a form. */
function pressPrimary(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget, key, repeat, nativeEvent, defaultPrevented } = event
  if (key !== 'Enter' || repeat || nativeEvent.isComposing || defaultPrevented) return
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  // A dialog that this one opened isn't inside its element.
  if (!(target instanceof HTMLInputElement) || !currentTarget.contains(target)) return
  if (target.form !== null || !target.matches(LINE_OF_TEXT)) return
  currentTarget.querySelector<HTMLElement>('footer [data-look="primary"]')?.click()
}

const LINE_OF_TEXT = 'input:not([role], [type="checkbox"], [type="radio"], [type="file"])'

/** The element in the topmost dialog that holds its help. */
export function dialogOnTop(): HTMLElement | null {
  return [...document.querySelectorAll<HTMLElement>(PLACE_OF_HELP)].at(-1) ?? null
}

const PLACE_OF_HELP = '[role="dialog"]:not([data-closed]) > [data-help-place]'

/** A separate component because dialogs without a form are also used outside of the router. */
function AskBeforeLeaving() {
  return useUnsaved(true).asking
}

/**
 * The first focus in a dialog: the element that it names, or the first field in that; otherwise its first field or the
 * dialog itself, never its close button.
 */
const NAMED_FOCUS = ':is(input, textarea, button, [tabindex])[data-first-focus], [data-first-focus] input'
const FIRST_FIELD = 'input:not([hidden]), textarea'

const CLOSE_CLASS =
  'grid size-7 shrink-0 place-items-center rounded text-muted hover:bg-hover hover:text-text'
const SIDE_CLASS =
  'inset-y-0 right-0 border-l transition-transform duration-150 data-ending-style:translate-x-4 data-starting-style:translate-x-4'
