import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { asAppError } from '../../api/failure.ts'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { matchKey } from '../../lib/keys.ts'
import { Button } from '../controls/button.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { focusAtOnce, useFocusBefore } from '../controls/popup-focus.tsx'
import { mayLeave, useUnsaved } from './unsaved.ts'
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
  /** It has unsaved changes: closing it other than with its own buttons asks first. */
  readonly unsaved?: boolean
  /** What Ctrl+Enter does, wherever the focus is in it. */
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
  const submit = useOneAtATime(() => onSubmit?.())
  return (
    <BaseDialog.Root
      open={open}
      disablePointerDismissal={insistent ?? false}
      onOpenChange={(next, details) => {
        if (next) return
        // The second click of a double-click on the button that opened it.
        const isSecond = details.event instanceof UIEvent && details.event.detail > 1
        if (insistent || (details.reason === 'outside-press' && isSecond) || (unsaved && !mayLeave()))
          details.cancel()
        else onClose()
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
          className={cx(
            POPUP_CLASS,
            side ? SIDE_CLASS : CENTRE_CLASS,
            wide ? 'w-[min(52rem,94vw)]' : 'w-[min(34rem,94vw)]',
          )}
        >
          <header className="flex items-center justify-between gap-4 border-b border-line py-2.5 pr-2.5 pl-4">
            <BaseDialog.Title className="text-lg font-semibold">{title}</BaseDialog.Title>
            {insistent ? null : (
              // Without a tooltip: while one is shown, the first Escape would close only that.
              <BaseDialog.Close aria-label={t('Close')} className={CLOSE_CLASS}>
                <X size={15} aria-hidden />
              </BaseDialog.Close>
            )}
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
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

/** A separate component because dialogs without a form are also used outside of the router. */
function AskBeforeLeaving() {
  useUnsaved(true)
  return null
}

interface ConfirmProps {
  readonly open: boolean
  /** A question that names the object: `Delete the flow "Receive an order"?` */
  readonly title: string
  /** What is lost or breaks. */
  readonly children: ReactNode
  /** The verb on the button. */
  readonly action: string
  readonly onConfirm: () => Promise<void> | void
  readonly onClose: () => void
}

/** Asks before something that can't be undone. A failure is shown in the dialog. */
export function ConfirmDialog({ open, title, children, action, onConfirm, onClose }: ConfirmProps) {
  const popup = useRef<HTMLDivElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  useFocusBefore(open, popup)
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })

  async function confirm() {
    setState({ busy: true, failure: null })
    try {
      await onConfirm()
      setState({ busy: false, failure: null })
      onClose()
    } catch (failure) {
      setState({ busy: false, failure })
    }
  }

  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => {
        if (next) return
        setState({ busy: false, failure: null })
        onClose()
      }}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP_CLASS} />
        <AlertDialog.Popup
          ref={popup}
          initialFocus={() => focusAtOnce(keep.current)}
          className={cx(POPUP_CLASS, CENTRE_CLASS, 'w-[min(28rem,94vw)]')}
        >
          <div className="flex flex-col gap-2 p-4">
            <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div className="text-muted" />}>
              {children}
            </AlertDialog.Description>
            {state.failure === null ? null : <ErrorNotice error={asAppError(state.failure)} />}
          </div>
          <footer className="flex justify-end gap-2 border-t border-line px-4 py-3">
            <AlertDialog.Close ref={keep} render={<Button>{t('Cancel')}</Button>} />
            <Button look="danger" busy={state.busy} onClick={() => void confirm()}>
              {action}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

/**
 * The first focus in a dialog: what it names, or the first field in what it names; otherwise its first field or the
 * dialog itself, never its close button.
 */
const NAMED_FOCUS = ':is(input, textarea, button, [tabindex])[data-first-focus], [data-first-focus] input'
const FIRST_FIELD = 'input:not([hidden]), textarea'

const CLOSE_CLASS =
  'grid size-7 shrink-0 place-items-center rounded text-muted hover:bg-hover hover:text-text'
const BACKDROP_CLASS =
  'fixed inset-0 z-40 bg-backdrop transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'
const POPUP_CLASS = 'floating fixed z-40 flex flex-col border-line bg-raised shadow-float outline-none'
const CENTRE_CLASS = 'top-[8vh] left-1/2 max-h-[min(48rem,86vh)] -translate-x-1/2 rounded-lg border'
const SIDE_CLASS =
  'inset-y-0 right-0 border-l transition-transform duration-150 data-ending-style:translate-x-4 data-starting-style:translate-x-4'
