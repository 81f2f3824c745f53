import { ExternalLink } from '../../lib/icons.tsx'
import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import { listRunQuestionsRoute, type RunQuestion } from '../../../shared/contract/reach/questions.ts'
import { resource, useResource } from '../../api/resource.ts'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { Time } from '../../components/values/time.tsx'
import { t } from '../../lib/i18n.ts'
import { safeHref } from '../../lib/urls.ts'

/** Users who can't start runs can't answer either, so they see no questions. */
const questionsOf = (runId: string) =>
  resource(listRunQuestionsRoute, {
    nouns: ['flow_run'],
    concerns: ({ id }) => id === runId,
    params: { id: runId },
  })

/** What the run asks people, with the links to answer. */
export function RunQuestions({ run }: { readonly run: FlowRun }) {
  const { id, asks } = run
  const { data } = useResource(asks === true ? questionsOf(id) : null)
  if (asks !== true) return null
  return (
    <div className="flex flex-col gap-1 pt-1">
      {(data ?? []).map((question) => (
        <Question key={question.id} question={question} />
      ))}
    </div>
  )
}

function Question({ question }: { readonly question: RunQuestion }) {
  const link = question.public_url ?? question.url
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span className="min-w-0 wrap-anywhere">{question.question}</span>
      <span className="inline-flex items-center gap-1">
        <a
          href={safeHref(link)}
          target="_blank"
          rel="noopener noreferrer"
          className="inline-flex items-center gap-1 rounded-sm text-accent-text underline"
        >
          {t('Open the page')}
          <ExternalLink size={12} aria-hidden />
        </a>
        <CopyIcon label={t('Copy link')} text={link} />
      </span>
      <span className="text-muted">
        {t('expires')} <Time at={question.expires_at} />
      </span>
      {question.public_url === null ? (
        <span className="text-muted">{t('The link works only on this computer.')}</span>
      ) : null}
    </div>
  )
}
