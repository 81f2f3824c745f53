import { type ReactNode, useState } from 'react'
import type { WebhookAttempt } from '../../../shared/contract/reach/forwards.ts'
import type {
  WebhookAnswer,
  WebhookRequest,
  WebhookRequestDetail,
} from '../../../shared/contract/webhooks.ts'
import { Select } from '../../components/controls/select.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { HeaderList } from '../../components/values/exchange-view.tsx'
import { LineDifference } from '../../components/values/line-difference.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Time } from '../../components/values/time.tsx'
import { formatDuration } from '../../lib/format.ts'
import { type English, english, t, translateMessage } from '../../lib/i18n.ts'
import { diffAnswers, prettyBody } from './answer-text.ts'

/** The response to the caller, next to those of the program on this computer, and how two of them differ. */
export function AnswersView({ detail }: { readonly detail: WebhookRequestDetail }) {
  const { request, answer, attempts, is_waiting: isWaiting } = detail
  if (attempts.length === 0 && !isWaiting) return <AnswerView answer={answer} request={request} />
  return (
    <div className="flex flex-col">
      {/* The grid's background forms the lines between them, whether they are side by side or stacked. */}
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,20rem),1fr))] gap-px bg-line">
        <section aria-label={t('Response to the caller')} className="min-w-0 bg-surface">
          <Heading status={request.status}>
            {t('Response to the caller')}
            <span className="font-normal text-muted">{formatDuration(request.duration_ms)}</span>
          </Heading>
          <AnswerView answer={answer} request={request} />
        </section>
        <section aria-label={t('Local program')} className="min-w-0 bg-surface">
          {isWaiting ? (
            <p className="px-4 pt-3 text-retrying">{t('Kept until the program is listening.')}</p>
          ) : null}
          {attempts.toReversed().map((attempt, index) => (
            <Attempt key={attempts.length - index} attempt={attempt} />
          ))}
        </section>
      </div>
      <Comparison answer={answer} attempts={attempts} />
    </div>
  )
}

function Heading({ status, children }: { readonly status: number | null; readonly children: ReactNode }) {
  return (
    <h3 className="tabular flex flex-wrap items-center gap-x-2 px-4 pt-3 font-medium">
      <StatusIcon silent state={status !== null && status < 400 ? 'success' : 'error'} />
      <span>{status}</span>
      {children}
    </h3>
  )
}

const KINDS: { readonly [K in WebhookAttempt['kind']]: English } = {
  forward: english('as it arrived'),
  retry: english('once the port opened'),
  replay: english('sent again'),
}

function Attempt({ attempt }: { readonly attempt: WebhookAttempt }) {
  const { at, kind, url, status, duration_ms: ms, error, answered_caller: isGiven } = attempt
  return (
    <div className="border-line not-first:border-t">
      <Heading status={status}>
        <span>{t('Local program')}</span>
        <span className="font-normal text-muted">
          {formatDuration(ms)}, {t(KINDS[kind])}
          {isGiven ? `, ${t('went to the caller')}` : ''}, <Time at={at} />
        </span>
      </Heading>
      {url === '' ? null : <code className="block px-4 text-code break-all text-muted">{url}</code>}
      {error === null ? null : <p className="px-4 pt-1 text-error">{translateMessage(error, attempt)}</p>}
      {status === null ? <div className="pb-3" /> : <Parts answer={answerOf(attempt)} />}
    </div>
  )
}

const KEPT_CHARACTERS = 65_536

function answerOf({ status, headers, body, size }: WebhookAttempt): WebhookAnswer {
  return { status: status ?? 0, headers, body, truncated: size > KEPT_CHARACTERS }
}

interface AnswerViewProps {
  readonly answer: WebhookAnswer | null
  readonly request: WebhookRequest
}

/** The response to the caller. */
function AnswerView({ answer, request }: AnswerViewProps) {
  if (answer === null)
    return (
      <p className="p-4 text-muted">
        {request.flow_run_id === null
          ? t('The caller got {{status}}. The response wasn’t kept because the request started no run.', {
              status: request.status,
            })
          : t(
              'The caller got {{status}}. The response wasn’t kept because its run is no longer stored or hasn’t finished.',
              { status: request.status },
            )}
      </p>
    )
  return <Parts answer={answer} />
}

function Parts({ answer }: { readonly answer: WebhookAnswer }) {
  const body = prettyBody(answer.body)
  return (
    <div className="flex flex-col gap-3 p-4">
      <HeaderList headers={answer.headers} />
      {answer.truncated ? (
        <p className="text-retrying">{t('Only the beginning of the body was kept.')}</p>
      ) : null}
      {body === '' ? (
        <p className="text-muted">{t('A response without a body.')}</p>
      ) : (
        <div className="relative rounded border border-line bg-sunken">
          <div className="absolute top-1 right-1">
            <CopyIcon label={t('Copy response body')} text={answer.body ?? ''} />
          </div>
          <Pre label={t('Response body')}>{body}</Pre>
        </div>
      )}
    </div>
  )
}

/** Compares two responses, which differ in their content or only in their time. */
function Comparison({ answer, attempts }: Pick<WebhookRequestDetail, 'answer' | 'attempts'>) {
  const answers = [
    ...(answer === null ? [] : [{ label: t('Response to the caller'), answer }]),
    ...attempts.flatMap((attempt, index) =>
      attempt.status === null
        ? []
        : [{ label: t('Local program, {{number}}', { number: index + 1 }), answer: answerOf(attempt) }],
    ),
  ].map((one, index) => ({ ...one, value: String(index) }))
  const [from, setFrom] = useState('0')
  const [to, setTo] = useState<string | null>(null)
  const latest = String(answers.length - 1)
  const before = answers.find(({ value }) => value === from)
  const after = answers.find(({ value }) => value === (to ?? latest))
  if (before === undefined || after === undefined || answers.length < 2) return null
  const lines = diffAnswers(before.answer, after.answer)
  return (
    <section aria-label={t('Difference')} className="border-t border-line py-3 text-sm">
      <div className="flex flex-wrap items-center gap-2 px-4 pb-2">
        <h3 className="font-medium">{t('Difference')}</h3>
        <Select
          label={t('From response')}
          className="w-52"
          value={from}
          onChange={setFrom}
          options={answers}
        />
        <Select
          label={t('To response')}
          className="w-52"
          value={to ?? latest}
          onChange={setTo}
          options={answers}
        />
        {lines.every(({ kind }) => kind === 'same') ? (
          <p className="text-muted">{t('Same response.')}</p>
        ) : null}
      </div>
      <LineDifference lines={lines} folded />
    </section>
  )
}
