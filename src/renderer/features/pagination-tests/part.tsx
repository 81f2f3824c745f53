import type { ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'

interface PartProps {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
  readonly className?: string
}

/** A titled piece of a page's detail. */
export function Part({ title, aside, children, className }: PartProps) {
  return (
    <section aria-label={title} className={cx('flex min-w-0 flex-col gap-1', className)}>
      <div className="flex min-h-5 items-baseline gap-2">
        <h3 className="text-sm font-semibold text-muted">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}
