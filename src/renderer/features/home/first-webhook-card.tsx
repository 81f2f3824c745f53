import { useState } from 'react'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { CircleCheck, Send } from '../../lib/icons.tsx'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { asAppError } from '../../api/failure.ts'
import { sendWebhook, type WebhookAnswer } from '../../api/send-webhook.ts'
import { formatJson, prettyJson } from '../../lib/json.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { CopyButton, CopyIcon } from '../../components/values/copy-button.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { mask, SecretValue } from '../../components/values/secret-value.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { stateOf } from '../../components/runs/run-state.ts'
import { StatusBadge } from '../../components/values/status-badge.tsx'
import { Duration } from '../../components/values/time.tsx'
import { formatDuration } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { toSnippet } from '../../lib/snippets.ts'
import { SAMPLE_ORDER } from './sample.ts'

interface FirstWebhookCardProps {
  readonly flow: Flow
  /** The newest run of the flow, once there is one. */
  readonly run: FlowRun | undefined
}

interface Outcome {
  readonly sending: boolean
  readonly answer: WebhookAnswer | null
  readonly failure: AppError | null
}

const NOT_SENT: Outcome = { sending: false, answer: null, failure: null }

/** From an empty data folder to the first response: the sample flow, how to call it, and a button that calls it. */
export function FirstWebhookCard({ flow, run }: FirstWebhookCardProps) {
  const [{ sending, answer, failure }, setOutcome] = useState<Outcome>(NOT_SENT)
  const { webhook } = flow
  if (webhook === null || webhook === undefined) return null
  const { url, token } = webhook
  async function testSent() {
    setOutcome({ ...NOT_SENT, sending: true })
    try {
      setOutcome({ ...NOT_SENT, answer: await sendWebhook(url, token, SAMPLE_ORDER) })
    } catch (error) {
      setOutcome({ ...NOT_SENT, failure: asAppError(error) })
    }
  }
  const curl = (secret: string | null) =>
    toSnippet('curl', {
      method: 'POST',
      url,
      headers: {
        'Content-Type': 'application/json',
        ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
      },
      body: formatJson(SAMPLE_ORDER, 0),
    })

  return (
    <section aria-labelledby="first-webhook" className="rounded-lg border border-line bg-surface">
      <div className="flex flex-col gap-4 p-5">
        <div className="flex flex-col gap-1">
          <h2 id="first-webhook" className="text-2xl font-semibold">
            {t('Receive your first webhook')}
          </h2>
          <p className="max-w-2xl text-muted">
            {t(
              'The sample flow “{{name}}” receives an order, fetches all pages of contacts from an API on this computer, looks up the buyer and responds. Send it an order from here, or run the command in a terminal.',
              { name: flow.name },
            )}
          </p>
        </div>
        <dl className="grid grid-cols-[4.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
          <dt className="text-sm text-muted">{t('URL')}</dt>
          <dd className="flex min-w-0 items-center gap-1">
            <code className="min-w-0 truncate text-code">POST {url}</code>
            <CopyIcon label={t('Copy URL')} text={url} />
          </dd>
          {token === null ? null : (
            <>
              <dt className="text-sm text-muted">{t('Token')}</dt>
              <dd>
                <SecretValue value={token} label={t('the token')} />
              </dd>
            </>
          )}
        </dl>
        <div className="rounded border border-line bg-sunken">
          <Pre label={t('Request as a curl command')}>{curl(token === null ? null : mask(token))}</Pre>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Button look="primary" icon={Send} busy={sending} onClick={() => void testSent()}>
            {sending ? t('Waiting for a response…') : t('Send test request')}
          </Button>
          <CopyButton label={t('Copy as curl')} text={() => curl(token)} />
          <ButtonLink look="quiet" to="/flows/$flowId" params={{ flowId: flow.id }}>
            {t('View flow')}
          </ButtonLink>
        </div>
      </div>
      <div aria-live="polite">
        {failure === null ? null : (
          <div className="border-t border-line p-5">
            <ErrorNotice error={failure} title={t('No response')} onRetry={() => void testSent()} />
          </div>
        )}
        {answer === null ? null : <Answer answer={answer} />}
        {run === undefined ? null : (
          <div className="flex flex-wrap items-center gap-3 border-t border-line px-5 py-3">
            <StatusBadge state={stateOf(run)} />
            <span className="min-w-0 flex-1 truncate">
              {run.title} <span className="text-muted">{t('ran for')} </span>
              <Duration ms={run.duration_ms} since={run.started_at} />
            </span>
            <ButtonLink to="/runs/$runId" params={{ runId: run.id }}>
              {t('Open run')}
            </ButtonLink>
          </div>
        )}
      </div>
    </section>
  )
}

function Answer({ answer }: { readonly answer: WebhookAnswer }) {
  const good = answer.status < 400
  return (
    <div className="flex flex-col gap-2 border-t border-line p-5">
      <h3 className="flex items-center gap-2 font-medium">
        {good ? <CircleCheck size={16} aria-hidden className="text-success" /> : null}
        {t('Response: {{status}} in {{duration}}', {
          status: answer.status,
          duration: formatDuration(answer.durationMs),
        })}
      </h3>
      <div className="rounded border border-line bg-sunken">
        <Pre label={t('Response body')}>{prettyJson(answer.body)}</Pre>
      </div>
    </div>
  )
}
