import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'

/** A placeholder for content. It shows only after 150 ms, since most content has arrived by then. */
function Skeleton({ className }: { readonly className?: string }) {
  return <div aria-hidden className={cx('late-pulse rounded-sm bg-line', className ?? 'h-4 w-full')} />
}

/** Lines of a list that is loading. */
export function SkeletonRows({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label={t('Loading')} className="flex flex-col">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-9 items-center gap-6 border-b border-line px-4">
          <Skeleton className="h-3 w-1/3" />
          <Skeleton className="h-3 w-1/6" />
          <Skeleton className="h-3 w-1/5" />
        </div>
      ))}
    </div>
  )
}
