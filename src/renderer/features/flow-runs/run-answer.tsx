import { Link } from '@tanstack/react-router'
import type { WebhookAnswer, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { StatusIcon } from '../../components/values/status-badge.tsx'
import { formatBytes } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

interface RunAnswerProps {
  readonly answer: WebhookAnswer | null
  readonly request: WebhookRequest | null
}

const LONGEST = 400

/** The response to the webhook's caller, or that of a test, and the request, one line each, above the steps. */
export function RunAnswer({ answer, request }: RunAnswerProps) {
  if (answer === null && request === null) return null
  return (
    <dl className="grid shrink-0 grid-cols-[5.5rem_minmax(0,1fr)] gap-y-1 px-4 pb-2.5">
      {answer === null ? null : (
        <>
          <dt className="text-sm text-muted">{t('Response')}</dt>
          <dd className="flex min-w-0 items-center gap-2 text-sm">
            <StatusIcon silent state={answer.status < 400 ? 'success' : 'error'} size={14} />
            <span className="tabular font-medium">{answer.status}</span>
            <span className="shrink-0 text-muted max-sm:hidden">{answer.headers['content-type'] ?? ''}</span>
            <code className="min-w-0 truncate" title={answer.body?.slice(0, LONGEST)}>
              {answer.body === null ? t('no body') : answer.body.slice(0, LONGEST)}
            </code>
            {answer.body === null ? null : <CopyIcon label={t('Copy response')} text={answer.body} />}
          </dd>
        </>
      )}
      {request === null ? null : (
        <>
          <dt className="text-sm text-muted">{t('Request')}</dt>
          <dd className="flex min-w-0 items-center gap-2 text-sm max-sm:flex-wrap">
            <code className="min-w-0 truncate">
              {request.method} {request.path}
            </code>
            <span className="shrink-0 text-muted">{formatBytes(request.size)}</span>
            <span className="shrink-0 text-muted max-sm:hidden">
              {t('from {{client}}', { client: request.client })}
            </span>
            <Link
              to="/webhooks"
              search={{ request: request.id }}
              className="shrink-0 rounded-sm text-accent-text hover:underline"
            >
              {t('Open request')}
            </Link>
            <Link
              to="/webhooks"
              search={{ request: request.id, part: 'replay' }}
              className="shrink-0 rounded-sm text-accent-text hover:underline"
            >
              {t('Send again')}
            </Link>
          </dd>
        </>
      )}
    </dl>
  )
}
