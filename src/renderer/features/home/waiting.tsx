import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RunQuestion } from '../../../shared/contract/reach/questions.ts'
import type { Flow } from '../../../shared/contract/flows.ts'
import { sendRequest } from '../../api/send-webhook.ts'
import { useApi } from '../../api/provider.tsx'
import { cached } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { Card } from '../../components/screen/page.tsx'
import { announce, announceFailure } from '../../components/screen/toast.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { Time } from '../../components/values/time.tsx'
import { ExternalLink } from '../../lib/icons.tsx'
import { t, tn } from '../../lib/i18n.ts'
import { safeHref } from '../../lib/urls.ts'
import { ASKING_RUNS, type AskingRun } from './home.ts'

/** The questions that runs ask people, with the buttons of their pages. */
export function Waiting({
  asking,
  flows,
}: {
  readonly asking: readonly AskingRun[]
  readonly flows: readonly Flow[]
}) {
  if (asking.length === 0) return null
  const count = asking.reduce((sum, { questions }) => sum + Math.max(1, questions.length), 0)
  return (
    <Card title={tn(count, '{{count}} question waits for you', '{{count}} questions wait for you')}>
      <ul>
        {asking.map((one) => (
          <Asking key={one.run.id} {...one} flowName={flows.find(({ id }) => id === one.run.flow_id)?.name} />
        ))}
      </ul>
    </Card>
  )
}

function Asking({ run, flowName, questions }: AskingRun & { readonly flowName: string | undefined }) {
  const title = run.title || flowName || t('Waiting for an answer')
  return (
    <li className="flex flex-col border-b border-line last:border-0">
      {questions.length === 0 ? (
        <p className="flex items-center gap-2.5 px-4 py-2.5">
          <StatusIcon state="waiting" size={14} />
          <Link
            to="/runs/$runId"
            params={{ runId: run.id }}
            className="min-w-0 truncate rounded-sm hover:underline"
          >
            {title}
          </Link>
        </p>
      ) : null}
      {questions.map((question) => (
        <div key={question.id} className="flex items-start gap-2.5 px-4 py-2.5">
          <span className="pt-0.5">
            <StatusIcon state="waiting" size={14} />
          </span>
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
            <div className="min-w-56 flex-1">
              <p className="font-medium wrap-anywhere">{question.question}</p>
              <p className="flex min-w-0 gap-1.5 text-sm text-muted">
                <Link
                  to="/runs/$runId"
                  params={{ runId: run.id }}
                  className="min-w-0 truncate rounded-sm hover:text-text hover:underline"
                >
                  {title}
                </Link>
                <span aria-hidden>·</span>
                <Time at={question.asked_at} />
              </p>
            </div>
            <Answers question={question} />
          </div>
        </div>
      ))}
    </li>
  )
}

/** The first button is the likeliest answer. A page with fields opens in a new tab. */
function Answers({ question: asked }: { readonly question: RunQuestion }) {
  const api = useApi()
  const [sent, setSent] = useState<string | null>(null)
  const { question, choices, has_fields: hasFields, url, public_url: publicUrl } = asked
  if (hasFields)
    return (
      <a
        href={safeHref(publicUrl ?? url)}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={t('Answer “{{question}}”', { question })}
        className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded border border-line-control px-2.5 font-medium hover:bg-hover"
      >
        {t('Answer')}
        <ExternalLink size={12} aria-hidden />
      </a>
    )

  async function answer(choice: string) {
    setSent(choice)
    try {
      const { status } = await sendRequest(
        url,
        FORM,
        new URLSearchParams({ [CHOICE_FIELD]: choice }).toString(),
      )
      announce(
        status === 200
          ? t('Answered: {{choice}}', { choice: choice === '' ? t('Confirm') : choice })
          : status === 409
            ? t('Somebody else has already answered.')
            : t('The question can no longer be answered.'),
      )
      await cached(api, ASKING_RUNS).getState().reload()
    } catch (error) {
      announceFailure(t('Couldn’t send the answer'), error)
    }
    setSent(null)
  }

  return (
    <div role="group" aria-label={question} className="flex flex-wrap gap-1.5">
      {(choices.length === 0 ? [''] : choices).map((choice, index) => (
        <Button
          key={choice}
          look={index === 0 ? 'primary' : 'secondary'}
          busy={sent === choice}
          disabled={sent !== null && sent !== choice}
          onClick={() => void answer(choice)}
        >
          {choice === '' ? t('Confirm') : choice}
        </Button>
      ))}
    </div>
  )
}

/** The name of the field that the page's button sends. */
const CHOICE_FIELD = '_choice'
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
