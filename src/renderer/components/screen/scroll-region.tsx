import type { ReactNode, Ref } from 'react'
import { cx } from '../../lib/cx.ts'

interface ScrollRegionProps {
  readonly label: string
  readonly ref?: Ref<HTMLDivElement>
  /** Screen readers announce what arrives. */
  readonly isLive?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** Fills the remaining height and scrolls, by keyboard too. */
export function ScrollRegion({ label, ref, isLive = false, className, children }: ScrollRegionProps) {
  return (
    <div
      ref={ref}
      role="region"
      aria-label={label}
      aria-live={isLive ? 'polite' : undefined}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      className={cx('min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2', className)}
    >
      {children}
    </div>
  )
}
