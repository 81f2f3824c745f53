import { ScrollText } from '../../lib/icons.tsx'
import { type ReactNode, useEffect, useState } from 'react'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { Switch } from '../../components/controls/field.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { t } from '../../lib/i18n.ts'
import type { LogLines } from './log-lines.ts'

/** Looks for new lines as long as it is on. */
export function Follow({ looked }: { readonly looked: () => Promise<void> }) {
  const [on, setOn] = useState(true)
  useEffect(() => {
    const timer = on ? setInterval(() => void looked(), LOOK_EVERY_MS) : undefined
    return () => clearInterval(timer)
  }, [on, looked])
  return <Switch label={t('Follow')} checked={on} onChange={setOn} />
}

const LOOK_EVERY_MS = 2_000

interface LinesProps<E> {
  readonly lines: LogLines<E> | null
  readonly failure: AppError | null
  readonly what: string
  readonly empty: string
  readonly onRetry: () => void
  readonly children: (rows: readonly E[]) => ReactNode
}

export function Lines<E>(props: LinesProps<E>) {
  const { lines, failure, what, empty, onRetry, children } = props
  return (
    <Loaded value={lines} failure={failure} what={what} onRetry={onRetry}>
      {({ entries }) =>
        entries.length === 0 ? (
          <EmptyState icon={ScrollText} title={empty}>
            {t('New lines appear here.')}
          </EmptyState>
        ) : (
          children(entries)
        )
      }
    </Loaded>
  )
}
