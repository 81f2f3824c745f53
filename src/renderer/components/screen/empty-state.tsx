import { type LucideIcon, Search } from '../../lib/icons.tsx'
import { type ReactNode, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'

/** What an empty screen is for: two sentences and one button. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  readonly icon: LucideIcon
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-16 text-center">
      <Icon size={28} aria-hidden strokeWidth={1.5} className="text-faint" />
      <div className="flex max-w-md flex-col gap-1">
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="text-muted">{children}</p>
      </div>
      {action}
    </div>
  )
}

/** A search of a long history that found nothing yet. */
export function NoneSoFar({ onMore }: { readonly onMore: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  const search = async () => {
    setBusy(true)
    await onMore()
    setBusy(false)
  }
  return (
    <EmptyState
      icon={Search}
      title={t('No matches so far')}
      action={
        <Button busy={busy} onClick={() => void search()}>
          {t('Search older history')}
        </Button>
      }
    >
      {t('The newest part of the history has no match.')}
    </EmptyState>
  )
}
