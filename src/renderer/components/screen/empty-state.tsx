import { type LucideIcon, Search } from '../../lib/icons.tsx'
import { type ReactNode, useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'

interface EmptyStateProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
  /** The cells of an example row, to show what the list will look like. */
  readonly example?: readonly string[]
}

/** Explains what an empty screen is for, with an example, two sentences and one button. */
export function EmptyState({ icon: Icon, title, children, action, example }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-4 px-6 py-14 text-center max-sm:px-3">
      {example === undefined ? (
        <Icon size={28} aria-hidden strokeWidth={1.5} className="text-faint" />
      ) : (
        <GhostRows icon={Icon} example={example} />
      )}
      <div className="flex max-w-lg flex-col gap-1">
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="text-muted">{children}</p>
      </div>
      {action}
    </div>
  )
}

/** The example row, and similar rows that fade out. */
function GhostRows({
  icon: Icon,
  example,
}: {
  readonly icon: LucideIcon
  readonly example: readonly string[]
}) {
  return (
    <div aria-hidden className="mb-1 w-full max-w-2xl select-none">
      {GHOSTS.map((look, row) => (
        <div
          key={look}
          className={cx(
            'flex h-10 items-center gap-4 border border-line bg-surface px-4 text-left not-first:border-t-0 first:rounded-t-lg',
            look,
          )}
        >
          <Icon size={15} className={cx('shrink-0', row === 0 ? 'text-second' : 'text-line-control')} />
          {example.map((cell, column) => (
            <span
              key={cell}
              className={cx(
                'min-w-0 truncate',
                column === 0 ? 'flex-[3] font-medium' : 'flex-[2] text-muted max-sm:hidden',
                column === example.length - 1 && column > 0 && 'flex-none text-right tabular',
              )}
            >
              {row === 0 ? (
                cell
              ) : (
                <span
                  className="block h-2 rounded-full bg-line"
                  style={{
                    width: `${Math.min(88, 18 + ((cell.length * 7 + row * 23 + column * 11) % 60))}%`,
                  }}
                />
              )}
            </span>
          ))}
        </div>
      ))}
    </div>
  )
}

const GHOSTS = ['opacity-100', 'opacity-70', 'opacity-40 border-b-0'] as const

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
