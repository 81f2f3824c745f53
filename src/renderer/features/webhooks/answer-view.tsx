import type { WebhookAnswer, WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { HeaderList } from '../../components/values/exchange-view.tsx'
import { Pre } from '../../components/values/snippet-box.tsx'
import { t } from '../../lib/i18n.ts'
import { prettyBody } from './answer-text.ts'

interface AnswerViewProps {
  readonly answer: WebhookAnswer | null
  readonly request: WebhookRequest
}

/** The response to the caller. */
export function AnswerView({ answer, request }: AnswerViewProps) {
  if (answer === null)
    return (
      <p className="p-4 text-muted">
        {t(
          'The caller got {{status}}. The response wasn’t kept: its run is no longer stored, or hasn’t finished.',
          { status: request.status },
        )}
      </p>
    )
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
