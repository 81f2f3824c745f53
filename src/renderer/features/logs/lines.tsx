import { ScrollText } from '../../lib/icons.tsx'
import { type ReactNode, useEffect, useState } from 'react'
import { Switch } from '../../components/controls/field.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { t } from '../../lib/i18n.ts'
import type { LinesState } from './logs-store.ts'

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

interface LinesProps<E extends { readonly id: string }> extends Pick<LinesState<E>, 'entries' | 'failure'> {
  readonly what: string
  readonly empty: string
  readonly onRetry: () => void
  readonly children: (rows: readonly E[]) => ReactNode
}

export function Lines<E extends { readonly id: string }>(props: LinesProps<E>) {
  const { entries, failure, what, empty, onRetry, children } = props
  return (
    <Loaded value={entries} failure={failure} what={what} onRetry={onRetry}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState icon={ScrollText} title={empty}>
            {t('New lines appear here.')}
          </EmptyState>
        ) : (
          children(rows)
        )
      }
    </Loaded>
  )
}
