import { useMemo, useState } from 'react'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { WebhookAnswer } from '../../../shared/contract/webhooks.ts'
import { asAppError } from '../../api/failure.ts'
import { Button } from '../../components/controls/button.tsx'
import { CodeField } from '../../components/code/code-field.tsx'
import { DictionaryField } from '../../components/controls/dictionary-field.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { LineDifference } from '../../components/values/line-difference.tsx'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { toBytes } from './again.ts'
import type { EditableRequest } from './again.ts'
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
  const change = (patch: Partial<EditableRequest>) => setDraft({ ...draft, ...patch })
  const bytes = useMemo(() => toBytes(draft), [draft])
  const queryProblem =
    draft.query === '' || draft.query.startsWith('?') ? undefined : t('A query string starts with “?”.')

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
          <Button
            look="primary"
            busy={busy}
            disabled={bytes === null || queryProblem !== undefined}
            onClick={() => void send()}
          >
            {t('Send request')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-muted">
          {t(
            'Sent to the webhook of “{{name}}” with its token, like a request from any sender: it’s counted, listed and run.',
            { name: flow.name },
          )}
        </p>
        <Field label={t('Query')} optional error={queryProblem}>
          <TextInput mono value={draft.query} placeholder="?page=2" onChange={(query) => change({ query })} />
        </Field>
        <DictionaryField
          label={t('Headers')}
          noun={t('header')}
          value={draft.headers}
          onChange={(headers) => change({ headers: headers as Record<string, string> })}
        />
        <Field
          label={draft.encoding === 'hex' ? t('Body (hex, two digits per byte)') : t('Body')}
          error={bytes === null ? t('Enter bytes as pairs of hex digits (0 to 9, a to f).') : undefined}
          aside={
            <span className="text-sm text-muted">{bytes === null ? '' : plural(bytes.length, 'byte')}</span>
          }
        >
          <CodeField
            first
            language={isJson(draft) ? 'json' : 'text'}
            value={draft.body}
            onChange={(body) => change({ body })}
          />
        </Field>
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

function isJson({ headers, encoding }: EditableRequest): boolean {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'json'
  return encoding === 'text' && type.includes('json')
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
