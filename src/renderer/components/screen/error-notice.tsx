import { CircleX, RotateCw } from '../../lib/icons.tsx'
import type { ReactNode } from 'react'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { fieldsOf, wordsOf } from '../../api/failure.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { SignInWay } from './sign-in-way.tsx'

interface ErrorNoticeProps {
  readonly error: AppError
  /** The failed action, if the message doesn't name it: `Couldn't save flow`. */
  readonly title?: string
  /** The screen's labels of fields, by path. */
  readonly labels?: Readonly<Record<string, string>>
  readonly onRetry?: (() => void) | undefined
  /** Other next steps, as buttons. */
  readonly actions?: ReactNode
}

/** What happened, where, and the next step as a button. */
export function ErrorNotice({ error, title, labels = {}, onRetry, actions }: ErrorNoticeProps) {
  const fields = Object.entries(fieldsOf(error))
  const hasActions = onRetry !== undefined || actions !== undefined
  return (
    <div
      role="alert"
      className="flex items-start gap-2.5 rounded border border-error/40 bg-error-soft px-3 py-2.5"
    >
      <CircleX size={16} aria-hidden className="mt-0.5 shrink-0 text-error" />
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        {title === undefined ? null : <p className="font-medium">{title}</p>}
        {fields.length > 1 || fields.some(([field]) => Object.hasOwn(labels, field)) ? (
          <ul className="flex flex-col gap-0.5">
            {fields.map(([field, sentences]) => (
              <li key={field} className="break-words">
                {Object.hasOwn(labels, field) ? (
                  <strong className="font-medium">{labels[field]}</strong>
                ) : (
                  <code className="text-code">{field}</code>
                )}{' '}
                {sentences.join('; ')}
              </li>
            ))}
          </ul>
        ) : (
          <p className="break-words">{wordsOf(error)}</p>
        )}
        {error.code === 'unauthorized' ? <SignInWay /> : null}
        {hasActions ? (
          <div className="flex flex-wrap gap-2 pt-0.5">
            {onRetry === undefined ? null : (
              <Button icon={RotateCw} onClick={onRetry}>
                {t('Try again')}
              </Button>
            )}
            {actions}
          </div>
        ) : null}
      </div>
    </div>
  )
}
