import { Link } from '@tanstack/react-router'
import { CircleQuestionMark } from '../../lib/icons.tsx'
import { useEffect } from 'react'
import type { ReactNode, Ref } from 'react'
import { cx } from '../../lib/cx.ts'
import { IconButton } from '../controls/button.tsx'
import { useShortcutList } from './shortcuts.tsx'
import { setTitle } from '../../lib/window-title.ts'
import { t } from '../../lib/i18n.ts'

interface Crumb {
  readonly label: string
  readonly to: string
}

interface PageProps {
  /** The object's own name, or the noun of a list; also the window's title. */
  readonly title: string
  /** The parent lists. */
  readonly crumbs?: readonly Crumb[]
  /** The state next to the title. */
  readonly badge?: ReactNode
  /** The main action on the right. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** One screen: a header that says where you are and what you can do, and its content below. */
export function Page({ title, crumbs = [], badge, actions, children }: PageProps) {
  useEffect(() => {
    setTitle(title === 'Millrace' ? title : `${title} · Millrace`)
  }, [title])

  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex min-h-12 shrink-0 items-center gap-x-3 gap-y-1.5 border-b border-line bg-surface px-4 py-1.5 max-lg:flex-wrap">
        <nav aria-label={t('Breadcrumb')} className="flex min-w-0 shrink items-center gap-1.5 text-lg">
          {crumbs.map((crumb) => (
            <span key={crumb.to} className="flex min-w-10 items-center gap-1.5">
              <Link
                to={crumb.to}
                // Otherwise, the link to a parent list would count as the current page.
                activeOptions={{ exact: true }}
                className="min-w-0 truncate rounded-sm text-muted hover:text-text hover:underline"
              >
                {crumb.label}
              </Link>
              <span aria-hidden className="text-faint">
                /
              </span>
            </span>
          ))}
          <h1 className="truncate font-semibold">{title}</h1>
        </nav>
        {badge}
        <div className="ml-auto flex shrink-0 items-center gap-1.5 max-lg:shrink max-lg:flex-wrap">
          {actions}
          <HelpButton />
        </div>
      </header>
      <div className="flex min-h-0 flex-1 flex-col">{children}</div>
    </div>
  )
}

/** Does the same as F1, for users who don't know that key. */
function HelpButton() {
  const open = useHelpOpener()
  return <IconButton label={t('Help for this page')} keys="f1" icon={CircleQuestionMark} onClick={open} />
}

/** Opens what F1 opens. */
export function useHelpOpener(): () => void {
  const shortcuts = useShortcutList()
  return () =>
    shortcuts()
      .find(({ keys }) => keys === 'f1')
      ?.run()
}

/** A row of filters or tools under the header. */
export function Toolbar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2">
      {children}
    </div>
  )
}

/** A column of readable width that scrolls, for forms and prose. */
interface ColumnProps {
  readonly children: ReactNode
  readonly wide?: boolean
  /** Names the column for the keyboard, which scrolls it if nothing in it takes the focus. */
  readonly label?: string
  readonly ref?: Ref<HTMLDivElement>
}

export function Column({ children, wide, label, ref }: ColumnProps) {
  const focusable = label === undefined ? {} : ({ role: 'region', 'aria-label': label, tabIndex: 0 } as const)
  return (
    <div {...focusable} className="min-h-0 flex-1 overflow-auto bg-canvas">
      <div
        ref={ref}
        className={cx('mx-auto flex w-full flex-col gap-5 p-6 max-sm:p-3', wide ? 'max-w-6xl' : 'max-w-3xl')}
      >
        {children}
      </div>
    </div>
  )
}

export function Card({
  title,
  aside,
  stacked = false,
  children,
  className,
}: {
  readonly title?: string
  readonly aside?: ReactNode
  /** With padding, and a gap between the children. */
  readonly stacked?: boolean
  readonly children: ReactNode
  readonly className?: string
}) {
  return (
    <section className={cx('min-w-0 rounded border border-line bg-surface', className)}>
      {title === undefined ? null : (
        <header className="flush-quiet flex min-h-10 items-center justify-between gap-x-3 gap-y-1 max-sm:flex-wrap border-b border-line px-4 py-1.5">
          <h2 className="font-semibold">{title}</h2>
          {aside}
        </header>
      )}
      {stacked ? <div className="flex flex-col gap-4 p-4">{children}</div> : children}
    </section>
  )
}
