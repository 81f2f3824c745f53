import type { ReactNode } from 'react'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { t } from '../../lib/i18n.ts'
import { ErrorNotice } from './error-notice.tsx'
import { SkeletonRows } from './skeleton.tsx'

export interface LoadedProps<T> {
  /** Null until it has been loaded once. */
  readonly value: T | null
  readonly failure: AppError | null
  /** What is being loaded: `the tokens`. */
  readonly what: string
  readonly onRetry?: () => void
  readonly children: (value: T) => ReactNode
}

/** The states of something that is loaded: loading, failed, loaded, and loaded but outdated. */
export function Loaded<T>({ value, failure, what, onRetry, children }: LoadedProps<T>) {
  return (
    <>
      {failure === null ? null : (
        <div className="p-4">
          <ErrorNotice
            error={failure}
            title={
              value === null
                ? t('Couldn’t load {{what}}', { what })
                : t('Couldn’t refresh {{what}}', { what })
            }
            onRetry={onRetry}
          />
        </div>
      )}
      {value === null ? failure === null ? <SkeletonRows /> : null : children(value)}
    </>
  )
}
