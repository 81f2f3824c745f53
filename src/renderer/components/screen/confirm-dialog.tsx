import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { asAppError } from '../../api/failure.ts'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { focusAtOnce, useFocusBefore } from '../controls/popup-focus.tsx'
import { ErrorNotice } from './error-notice.tsx'

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

/** Asks for confirmation of an action that others notice. A failure is shown in the dialog. */
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

export const BACKDROP_CLASS =
  'fixed inset-0 z-40 bg-backdrop transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0'
export const POPUP_CLASS = 'floating fixed z-40 flex flex-col border-line bg-raised shadow-float outline-none'
export const CENTRE_CLASS = 'top-[8vh] left-1/2 max-h-[min(48rem,86vh)] -translate-x-1/2 rounded-lg border'
