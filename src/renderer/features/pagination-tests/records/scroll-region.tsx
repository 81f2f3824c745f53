import type { ReactNode, Ref } from 'react'
import { cx } from '../../../lib/cx.ts'

interface ScrollRegionProps {
  readonly label: string
  readonly ref: Ref<HTMLDivElement>
  readonly className?: string
  readonly children: ReactNode
}

/** Fills the remaining height and scrolls, by keyboard too. */
export function ScrollRegion({ label, ref, className, children }: ScrollRegionProps) {
  return (
    <div
      ref={ref}
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      className={cx('min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2', className)}
    >
      {children}
    </div>
  )
}
