import { useState } from 'react'
import { WEBHOOK_METHODS } from '../../../shared/contract/step-types/triggers/webhook.ts'
import {
  answerHeldRequestRoute,
  dropHeldRequestRoute,
  type HeldRequest,
  releaseHeldRequestRoute,
} from '../../../shared/contract/reach/webhook-holds.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { asAppError } from '../../api/failure.ts'
import { useApi } from '../../api/provider.tsx'
import { t } from '../../lib/i18n.ts'
import { CodeField } from '../code/code-field.tsx'
import { Button } from '../controls/button.tsx'
import { DictionaryField } from '../controls/dictionary-field.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { Select } from '../controls/select.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { TimeLeft } from '../values/time.tsx'
import { type EditableRequest, isComplete, RequestFields, toBytes } from './request-fields.tsx'

interface HeldSheetProps {
  readonly request: HeldRequest
  /** Called before the decision is sent. */
  readonly onDecided: () => void
  readonly onClose: () => void
}

/** A held request. It can be changed before it continues, answered manually, or dropped. */
export function HeldSheet({ request, onDecided, onClose }: HeldSheetProps) {
  const api = useApi()
  const [initial] = useState(() => toEditable(request))
  const [draft, setDraft] = useState<EditableRequest>(initial)
  const [method, setMethod] = useState(request.method)
  const [answer, setAnswer] = useState<HandAnswer | null>(null)
  const [failure, setFailure] = useState<AppError | null>(null)
  const [busy, setBusy] = useState(false)
  const params = { id: request.id }

  async function decide(work: () => Promise<unknown>) {
    setBusy(true)
    try {
      onDecided()
      await work()
      onClose()
    } catch (error) {
      setFailure(asAppError(error))
    } finally {
      setBusy(false)
    }
  }

  const release = () =>
    decide(() =>
      api.call(releaseHeldRequestRoute, { params, body: editsOf(request, method, draft, initial) }),
    )
  const drop = () => decide(() => api.call(dropHeldRequestRoute, { params }))
  const respond = ({ status, headers, body }: HandAnswer) =>
    decide(() =>
      api.call(answerHeldRequestRoute, { params, body: { status: Number(status), headers, body } }),
    )
  const canRespond = answer !== null && /^[2-5]\d\d$/.test(answer.status)

  return (
    <Dialog
      open
      side
      unsaved={draft !== initial || method !== request.method || (answer !== null && answer !== EMPTY)}
      title={answer === null ? t('Held request') : t('Respond to the held request')}
      onClose={onClose}
      onSubmit={async () => {
        if (answer === null) return isComplete(draft) ? await release() : undefined
        return canRespond ? await respond(answer) : undefined
      }}
      actions={
        answer === null ? (
          <>
            <Button look="danger" needs={dropHeldRequestRoute} busy={busy} onClick={() => void drop()}>
              {t('Drop')}
            </Button>
            <Button needs={answerHeldRequestRoute} onClick={() => setAnswer(EMPTY)}>
              {t('Answer…')}
            </Button>
            <Button
              look="primary"
              needs={releaseHeldRequestRoute}
              busy={busy}
              disabled={!isComplete(draft)}
              onClick={() => void release()}
            >
              {t('Release')}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => setAnswer(null)}>{t('Back')}</Button>
            <Button look="primary" busy={busy} disabled={!canRespond} onClick={() => void respond(answer)}>
              {t('Send response')}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-muted">
          {t('The caller is waiting. Without a decision, the request is released unchanged.')}{' '}
          <TimeLeft until={request.releases_at} />
        </p>
        {failure === null ? null : <ErrorNotice error={failure} title={t('The request is still held')} />}
        {answer === null ? (
          <>
            <Field label={t('Method')}>
              <Select
                value={method}
                onChange={setMethod}
                className="w-32"
                options={WEBHOOK_METHODS.map((one) => ({ value: one as string, label: one }))}
              />
            </Field>
            <RequestFields draft={draft} onChange={setDraft} />
          </>
        ) : (
          <AnswerFields answer={answer} onChange={setAnswer} />
        )}
      </div>
    </Dialog>
  )
}

interface HandAnswer {
  readonly status: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const EMPTY: HandAnswer = { status: '200', headers: { 'content-type': 'application/json' }, body: '{}' }

interface AnswerFieldsProps {
  readonly answer: HandAnswer
  readonly onChange: (answer: HandAnswer) => void
}

function AnswerFields({ answer, onChange }: AnswerFieldsProps) {
  return (
    <>
      <Field label={t('Status')}>
        <TextInput mono value={answer.status} onChange={(status) => onChange({ ...answer, status })} />
      </Field>
      <DictionaryField
        label={t('Headers')}
        noun={t('header')}
        value={answer.headers}
        onChange={(headers) => onChange({ ...answer, headers: headers as Record<string, string> })}
      />
      <Field label={t('Body')}>
        <CodeField language="text" value={answer.body} onChange={(body) => onChange({ ...answer, body })} />
      </Field>
    </>
  )
}

function toEditable({ path, headers, encoding, body }: HeldRequest): EditableRequest {
  const at = path.indexOf('?')
  return {
    query: at === -1 ? '' : path.slice(at),
    headers,
    encoding: encoding === 'text' ? 'text' : 'hex',
    body: encoding === 'text' ? body : hexOf(body),
  }
}

function hexOf(base64: string): string {
  return Array.from(atob(base64), (one) => one.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}

/** Sends only what was changed, so that the rest stays as it arrived. */
function editsOf(request: HeldRequest, method: string, draft: EditableRequest, initial: EditableRequest) {
  const bytes = toBytes(draft) ?? new Uint8Array()
  return {
    ...(method === request.method ? {} : { method }),
    ...(draft.query === initial.query ? {} : { query: draft.query }),
    ...(draft.headers === initial.headers ? {} : { headers: draft.headers }),
    ...(draft.body === initial.body
      ? {}
      : draft.encoding === 'text'
        ? { body: draft.body }
        : {
            encoding: 'base64' as const,
            body: btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join('')),
          }),
  }
}
