import { useState } from 'react'
import type { Flow } from '../../../shared/contract/flows.ts'
import { definitionOf } from '../../../shared/contract/step-types/index.ts'
import { requestTrigger } from '../../../shared/request-trigger.ts'
import { asAppError } from '../../api/failure.ts'
import { sendRequest } from '../../api/send-webhook.ts'
import type { WebhookAnswer } from '../../api/send-webhook.ts'
import { formatDuration } from '../../lib/format.ts'
import { formatJson, parseJson, prettyJson } from '../../lib/json.ts'
import { t } from '../../lib/i18n.ts'
import { CodeField } from '../code/code-field.tsx'
import { Button } from '../controls/button.tsx'
import { Field } from '../controls/field.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { Pre } from '../values/snippet-box.tsx'
import { recallSampleInput } from './sample-input.ts'
import { UnsignedNotice } from './unsigned-notice.tsx'

interface SendRequestDialogProps {
  readonly flow: Pick<Flow, 'id' | 'name' | 'webhook' | 'settings' | 'steps'>
  /** The initial body. Defaults to that of the flow's sample, what its form would send, or an empty object. */
  readonly body?: string
  readonly contentType?: string
  readonly onClose: () => void
}

/** Calls a flow's webhook as any other program would, with a body that can be edited first. */
export function SendRequestDialog({
  flow,
  body: initial = exampleBody(flow),
  contentType = 'application/json',
  onClose,
}: SendRequestDialogProps) {
  const [body, setBody] = useState(initial)
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ answer: WebhookAnswer } | { failure: unknown } | null>(null)
  const { webhook, settings } = flow
  const isJson = contentType === 'application/json'
  const problem = isJson ? problemOf(body) : undefined

  async function send() {
    if (webhook === null || webhook === undefined || problem !== undefined) return
    setBusy(true)
    const { token } = webhook
    const headers = {
      'Content-Type': contentType,
      ...(settings.webhook_token_enabled && token !== null ? { Authorization: `Bearer ${token}` } : {}),
    }
    try {
      setOutcome({ answer: await sendRequest(webhook.url, headers, body) })
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
      title={t('Send a test request to “{{name}}”', { name: flow.name })}
      unsaved={body !== initial && outcome === null}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <Button look="primary" busy={busy} disabled={problem !== undefined} onClick={() => void send()}>
            {t('Send request')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <UnsignedNotice flow={flow} />
        <Field label={isJson ? t('Body (JSON)') : t('Body')} error={problem}>
          <CodeField language={isJson ? 'json' : 'text'} value={body} onChange={setBody} />
        </Field>
        <div aria-live="polite">
          {outcome === null ? null : 'failure' in outcome ? (
            <ErrorNotice error={asAppError(outcome.failure)} title={t('Couldn’t send request')} />
          ) : (
            <section aria-label={t('Response')} className="overflow-hidden rounded border border-line">
              <h3 className="border-b border-line bg-sunken px-4 py-1.5 font-medium">
                {t('{{status}} in {{duration}}', {
                  status: outcome.answer.status,
                  duration: formatDuration(outcome.answer.durationMs),
                })}
              </h3>
              <Pre label={t('Response body')}>{prettyJson(outcome.answer.body)}</Pre>
            </section>
          )}
        </div>
      </div>
    </Dialog>
  )
}

function problemOf(body: string): string | undefined {
  try {
    parseJson(body)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function exampleBody({ id, steps }: Pick<Flow, 'id' | 'steps'>): string {
  const trigger = requestTrigger(steps)
  const sample = recallSampleInput(id)
  if (sample !== null) return formatJson(sample)
  const example = definitionOf(trigger?.type ?? '')?.trigger?.example
  return formatJson(trigger === undefined ? {} : (example?.(trigger.config, t) ?? {}))
}
