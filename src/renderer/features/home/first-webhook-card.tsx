import { type ReactNode, useState } from 'react'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { CircleCheck, FolderOpen, Layers, type LucideIcon, PencilLine, Send } from '../../lib/icons.tsx'
import type { Flow } from '../../../shared/contract/flows.ts'
import { plantFlowSampleRoute } from '../../../shared/contract/flow-samples.ts'
import { type FlowRun, listRunStepsRoute } from '../../../shared/contract/flow-runs.ts'
import { asAppError } from '../../api/failure.ts'
import { FLOW_SAMPLES } from '../../api/lists.ts'
import { resource, useResource } from '../../api/resource.ts'
import { sendWebhook, type WebhookAnswer } from '../../api/send-webhook.ts'
import { formatJson, prettyJson } from '../../lib/json.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { CopyButton, CopyIcon } from '../../components/values/copy-button.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { mask, SecretValue } from '../../components/values/secret-value.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { stepState } from '../../components/runs/run-step-view.tsx'
import { attempt } from '../../components/screen/toast.tsx'
import { usePlantSample } from '../../components/services/plant-sample.ts'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { cx } from '../../lib/cx.ts'
import { formatDuration } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
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

/** Leads from an empty data folder to the first response: three ways to begin, and the sample flow as a line. */
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
    <section aria-labelledby="first-steps" className="flex min-w-0 flex-col gap-4">
      <h2 id="first-steps" className="text-2xl font-semibold">
        {t('What should Millrace do for you?')}
      </h2>
      <div className="grid gap-4 md:grid-cols-3">
        <Start icon={Send} title={t('Send me an order')}>
          <p className="flex-1 text-muted">
            {t('A sample flow receives the order, looks the buyer up in a list of contacts and responds.')}
          </p>
          <Button look="primary" icon={Send} busy={sending} onClick={() => void testSent()}>
            {sending ? t('Waiting for a response…') : t('Send an order')}
          </Button>
        </Start>
        <Start icon={FolderOpen} title={t('Watch a folder, feed or form')}>
          <p className="flex-1 text-muted">
            {t('Each new file, article or answer starts a flow. Start from one that works and change it.')}
          </p>
          <Watch />
        </Start>
        <Start icon={Layers} title={t('Read an API to the end')}>
          <p className="flex-1 text-muted">
            {t('Watch each page as it is read, from the first to the last, with an API on this computer.')}
          </p>
          <ButtonLink to="/pagination">{t('Open the tester')}</ButtonLink>
        </Start>
      </div>
      <div className="rounded-lg border border-line bg-surface">
        <RunLine flow={flow} run={run} />
        <div aria-live="polite">
          {failure === null ? null : (
            <div className="border-t border-line p-5">
              <ErrorNotice error={failure} title={t('No response')} onRetry={() => void testSent()} />
            </div>
          )}
          {answer === null ? null : <Answer answer={answer} flow={flow} run={run} />}
        </div>
        <details className="border-t border-line">
          <summary className="px-5 py-2.5 text-muted hover:bg-hover">{t('From a terminal')}</summary>
          <div className="flex flex-col gap-3 px-5 pt-1 pb-4">
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
            <div>
              <CopyButton label={t('Copy as curl')} text={() => curl(token)} />
            </div>
          </div>
        </details>
      </div>
    </section>
  )
}

interface StartProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly children: ReactNode
}

/** One way to begin: its purpose, and one button. */
function Start({ icon: Icon, title, children }: StartProps) {
  return (
    <section className="flex flex-col items-start gap-3 rounded-lg border border-line bg-surface p-5">
      <span aria-hidden className="grid size-9 place-items-center rounded-lg bg-second-soft text-second">
        <Icon size={18} />
      </span>
      <h3 className="text-lg font-semibold">{title}</h3>
      {children}
    </section>
  )
}

const WATCHED = [
  ['new-files', english('Folder')],
  ['new-articles', english('Feed')],
  ['fault-report', english('Form')],
] as const

/** Samples with a trigger other than a webhook. */
function Watch() {
  const plant = usePlantSample()
  const { data: samples } = useResource(FLOW_SAMPLES)
  return (
    <div className="flex flex-wrap gap-2">
      {WATCHED.map(([id, label]) => {
        const sample = samples?.find((one) => one.id === id)
        return (
          <Button
            key={id}
            disabled={sample === undefined}
            needs={plantFlowSampleRoute}
            onClick={() => sample && void attempt(t('Couldn’t use sample'), async () => await plant(sample))}
          >
            {t(label)}
          </Button>
        )
      })}
    </div>
  )
}

const stepsOf = (id: string) => resource(listRunStepsRoute, { nouns: ['flow_run'], params: { id } })

/** The steps of the flow in a row; they light up as the run goes through them. */
function RunLine({ flow, run }: { readonly flow: Flow; readonly run: FlowRun | undefined }) {
  const { data: records } = useResource(run === undefined ? null : stepsOf(run.id))
  return (
    <ol
      aria-label={t('Steps of “{{name}}”', { name: flow.name })}
      className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-y-4 px-5 py-5"
    >
      {flow.steps.map((step, index) => {
        const record = records?.find(({ ref_id }) => ref_id === step.ref_id)
        const state = record === undefined ? null : stepState(record, run ?? null)
        const delay = { transitionDelay: `${index * LIGHT_MS}ms` }
        return (
          <li key={step.ref_id} className="relative flex flex-col items-center gap-1.5 px-1 text-center">
            {index === 0 ? null : (
              <span
                aria-hidden
                style={delay}
                className={cx(
                  'absolute top-3.5 right-1/2 mr-5 h-0.5 w-[calc(100%-2.5rem)] transition-colors duration-200',
                  state === null ? 'bg-line' : 'bg-second',
                )}
              />
            )}
            <span
              style={delay}
              className={cx(
                'grid size-8 place-items-center rounded-full border-2 transition-colors duration-200',
                state === null ? 'border-line bg-sunken text-muted' : 'border-second bg-second-soft',
              )}
            >
              {state === null ? (
                <span className="tabular text-sm">{index + 1}</span>
              ) : (
                <StatusIcon state={state} size={16} />
              )}
            </span>
            <span className="font-medium">{step.title || step.ref_id}</span>
            <span className="tabular min-h-4 text-sm text-muted">
              {record === undefined || record.duration_ms === null ? '' : formatDuration(record.duration_ms)}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** One step lights up after the other, although most take less. */
const LIGHT_MS = 160

interface AnswerProps extends FirstWebhookCardProps {
  readonly answer: WebhookAnswer
}

function Answer({ answer, flow, run }: AnswerProps) {
  const good = answer.status < 400
  return (
    <div className="flex flex-col gap-3 border-t border-line p-5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="mr-auto flex items-center gap-2 text-lg font-semibold">
          {good ? <CircleCheck size={18} aria-hidden className="text-success" /> : null}
          {t('Response: {{status}} in {{duration}}', {
            status: answer.status,
            duration: formatDuration(answer.durationMs),
          })}
        </h3>
        {run === undefined ? null : (
          <ButtonLink to="/runs/$runId" params={{ runId: run.id }}>
            {t('Open run')}
          </ButtonLink>
        )}
        <ButtonLink look="primary" icon={PencilLine} to="/flows/$flowId" params={{ flowId: flow.id }}>
          {t('Now make it yours')}
        </ButtonLink>
      </div>
      <div className="rounded border border-line bg-sunken">
        <Pre label={t('Response body')}>{prettyJson(answer.body)}</Pre>
      </div>
    </div>
  )
}
