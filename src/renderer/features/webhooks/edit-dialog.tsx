import { useState } from 'react'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { WebhookAnswer } from '../../../shared/contract/webhooks.ts'
import { asAppError } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { type EditableRequest, isComplete, RequestFields } from '../../components/runs/request-fields.tsx'
import { UnsignedNotice } from '../../components/runs/unsigned-notice.tsx'
import { LineDifference } from '../../components/values/line-difference.tsx'
import { t } from '../../lib/i18n.ts'
import { diffAnswers } from './answer-text.ts'
import type { DetailStore } from './detail-store.ts'

interface EditDialogProps {
  readonly store: DetailStore
  readonly flow: Flow
  /** The original response. */
  readonly before: WebhookAnswer | null
  readonly initial: EditableRequest
  readonly onClose: () => void
}

/** The request, to be edited and sent to the webhook as any caller would send it. */
export function EditDialog({ store, flow, before, initial, onClose }: EditDialogProps) {
  const [draft, setDraft] = useState(initial)
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ answer: WebhookAnswer } | { failure: unknown } | null>(null)

  async function send() {
    setBusy(true)
    try {
      setOutcome({ answer: await store.getState().sent(draft, flow) })
    } catch (failure) {
      setOutcome({ failure })
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      wide
      title={t('Edit and replay')}
      unsaved={draft !== initial && outcome === null}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <Button look="primary" busy={busy} disabled={!isComplete(draft)} onClick={() => void send()}>
            {t('Send request')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-muted">
          {t(
            'Sent to the webhook of “{{name}}” with its token, like a request from any sender, so it’s counted, listed and run.',
            { name: flow.name },
          )}
        </p>
        <UnsignedNotice flow={flow} />
        <RequestFields draft={draft} onChange={setDraft} />
        <div aria-live="polite">
          {outcome === null ? null : 'failure' in outcome ? (
            <ErrorNotice error={asAppError(outcome.failure)} title={t('Couldn’t send request')} />
          ) : (
            <Answered answer={outcome.answer} before={before} />
          )}
        </div>
      </div>
    </Dialog>
  )
}

function Answered({
  answer,
  before,
}: {
  readonly answer: WebhookAnswer
  readonly before: WebhookAnswer | null
}) {
  return (
    <section aria-label={t('Response body')} className="overflow-hidden rounded border border-line">
      <h3 className="border-b border-line bg-sunken px-4 py-1.5 font-medium">
        {t('Response: {{status}}', { status: answer.status })}
      </h3>
      <div className="max-h-60 overflow-auto py-2 text-sm">
        <LineDifference lines={diffAnswers(before ?? answer, answer)} />
      </div>
    </section>
  )
}
