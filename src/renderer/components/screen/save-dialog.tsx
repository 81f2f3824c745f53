import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import { asAppError, fieldsOf } from '../../api/failure.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { announce } from './toast.tsx'
import { Form } from '../controls/form.tsx'

interface SaveDialogProps {
  readonly title: string
  /** The verb on the button. */
  readonly action: string
  /** The heading of a failure. */
  readonly failed: string
  /** The announcement after saving. */
  readonly saved: string
  readonly onSave: () => Promise<void>
  readonly onClose: () => void
  readonly children: (errors: Readonly<Record<string, readonly string[]>>) => ReactNode
}

/** A form in a dialog: Enter and the button save; errors are shown in it. */
export function SaveDialog(props: SaveDialogProps) {
  const { title, action, failed, saved, onSave, onClose, children } = props
  const form = useId()
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const [touched, setTouched] = useState(false)
  const failure = state.failure === null ? null : asAppError(state.failure)

  async function save() {
    setState({ busy: true, failure: null })
    try {
      await onSave()
      announce(saved)
      onClose()
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }

  return (
    <Dialog
      open
      title={title}
      unsaved={touched}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" type="submit" form={form} busy={state.busy}>
            {action}
          </Button>
        </>
      }
    >
      <Form id={form} className="flex flex-col gap-4" onInput={() => setTouched(true)} onSubmit={save}>
        {failure === null ? null : <ErrorNotice error={failure} title={failed} />}
        {children(fieldsOf(failure))}
      </Form>
    </Dialog>
  )
}
