import type { Step } from '../../../../shared/contract/steps.ts'
import { useMemo } from 'react'
import { cx } from '../../../lib/cx.ts'
import { t } from '../../../lib/i18n.ts'
import { stepChanges } from '../model/step-changes.ts'

interface ChangeListProps {
  readonly before: readonly Step[]
  readonly after: readonly Step[]
  readonly className?: string
}

/** The differences between two lists of steps, one line each. Renders nothing if they are the same. */
export function ChangeList({ before, after, className }: ChangeListProps) {
  const changes = useMemo(() => stepChanges(before, after), [before, after])
  if (changes.length === 0) return null
  return (
    <ul aria-label={t('Changes')} className={cx('flex flex-col gap-1', className)}>
      {changes.map(({ refId, words, texts }) => (
        <li key={`${refId} ${words}`} className="[overflow-wrap:anywhere]">
          <code className="font-mono font-medium">{refId}</code> {words}
          {texts === undefined ? null : (
            <>
              {': '}
              {texts.before === '' ? null : <del className="font-mono text-error">{texts.before}</del>}
              {texts.before === '' || texts.after === '' ? null : ' → '}
              {texts.after === '' ? null : (
                <ins className="font-mono text-success no-underline">{texts.after}</ins>
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
