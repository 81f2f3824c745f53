import { Link, useLocation } from '@tanstack/react-router'
import { CircleQuestionMark, PanelLeftClose, PanelLeftOpen, Search } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { Api } from '../../api/create-api.ts'
import { useApi } from '../../api/provider.tsx'
import { Button, IconButton, Tip } from '../../components/controls/button.tsx'
import { Keys } from '../../components/screen/shortcuts.tsx'
import { useRoomUnder } from '../../components/screen/room.ts'
import { isOpenTo } from '../../components/screen/open-screens.ts'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { recall, remember } from '../../lib/remembered.ts'
import { useHelpStore } from './help/help-store.ts'
import { Mark } from './mark.tsx'
import { NAVIGATION, NAVIGATION_GROUP, type NavigationScreen, screensOf } from './navigation.ts'
import { useUnfinished } from './program-state.ts'
import { ThemeButton } from './theme-button.tsx'
import { UserMenu } from './user-menu.tsx'

export function Sidebar({ onSearch }: { readonly onSearch: () => void }) {
  const [folded, setFolded] = useState(() => recall('sidebar') === 'narrow')
  // A small window, or a large one at 200 % zoom or with help open, has no room for words next to the icons.
  const narrow = useRoomUnder(1024) || folded
  const unfinished = useUnfinished()
  const api = useApi()

  function fold() {
    setFolded(!folded)
    remember('sidebar', folded ? 'wide' : 'narrow')
  }

  return (
    <nav
      data-part
      aria-label={t('Pages')}
      className={cx('flex flex-col border-r border-line bg-canvas', narrow ? 'w-12' : 'w-48')}
    >
      <div className={cx('flex h-12 items-center gap-2', narrow ? 'justify-center' : 'px-4')}>
        <Mark />
        {narrow ? null : <span className="text-lg font-semibold tracking-tight">Millrace</span>}
      </div>
      <div className="px-2 pb-1">
        <SearchButton narrow={narrow} onClick={onSearch} />
      </div>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-2 py-1">
        {NAVIGATION.map((group) => (
          <div key={group[0].to} className={NAVIGATION_GROUP}>
            {openOf(api, group).map((screen) => (
              <NavLink
                key={screen.to}
                screen={screen}
                narrow={narrow}
                count={screen.to === '/runs' ? unfinished : 0}
              />
            ))}
          </div>
        ))}
      </div>
      <div className="px-2">
        <UserMenu narrow={narrow} />
      </div>
      <div className={cx('flex gap-1 p-2', narrow ? 'flex-col items-center' : 'justify-between')}>
        <ThemeButton />
        <HelpButton narrow={narrow} />
        <IconButton
          label={narrow ? t('Expand sidebar') : t('Collapse sidebar')}
          icon={narrow ? PanelLeftOpen : PanelLeftClose}
          onClick={fold}
        />
      </div>
    </nav>
  )
}

/** If an entry leads to several screens, the first one that this page may read. */
const openOf = (api: Api, group: (typeof NAVIGATION)[number]): readonly NavigationScreen[] =>
  group.flatMap(({ to }) => screensOf(to).find((screen) => isOpenTo(api, screen.to)) ?? [])

function HelpButton({ narrow }: { readonly narrow: boolean }) {
  const open = useHelpStore((state) => state.open)
  const opened = useHelpStore((state) => state.opened)
  const closed = useHelpStore((state) => state.closed)
  const toggle = () => (open ? closed() : opened())
  if (narrow)
    return (
      <IconButton
        label={t('Help')}
        keys="?"
        icon={CircleQuestionMark}
        aria-expanded={open}
        onClick={toggle}
      />
    )
  return (
    <Button look="quiet" icon={CircleQuestionMark} aria-expanded={open} onClick={toggle}>
      {t('Help')}
    </Button>
  )
}

function SearchButton({ narrow, onClick }: { readonly narrow: boolean; readonly onClick: () => void }) {
  if (narrow) return <IconButton label={t('Search and commands')} icon={Search} onClick={onClick} />
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex h-7 w-full items-center gap-2 rounded border border-line bg-surface px-2 text-muted hover:border-line-control hover:text-text"
    >
      <Search size={13} aria-hidden className="shrink-0" />
      <span className="flex-1 text-left">{t('Search')}</span>
      <Keys keys="mod+k" />
    </button>
  )
}

const CURRENT = 'bg-selected font-medium text-text [&>svg]:text-second'

interface NavLinkProps {
  readonly screen: NavigationScreen
  readonly narrow: boolean
  readonly count: number
}

function NavLink({ screen, narrow, count }: NavLinkProps) {
  const { to, icon: Icon } = screen
  const label = t(screen.label)
  const within = useLocation({
    select: ({ pathname }) =>
      screensOf(to)
        .slice(1)
        .some((inside) => pathname.startsWith(inside.to)),
  })
  const link = (
    <Link
      to={to}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ className: CURRENT }}
      inactiveProps={{ className: within ? CURRENT : 'text-muted hover:bg-hover hover:text-text' }}
      aria-label={count > 0 ? t('{{label}}, {{count}} active', { label, count }) : label}
      className={cx(
        'relative flex h-8 shrink-0 items-center gap-2.5 rounded',
        narrow ? 'justify-center' : 'px-2.5',
      )}
    >
      <Icon size={15} aria-hidden className="shrink-0" />
      {narrow ? null : <span className="min-w-0 flex-1 truncate">{label}</span>}
      {count === 0 ? null : (
        <span
          className={cx(
            'tabular rounded-full bg-running-soft px-1.5 text-sm font-medium text-running',
            narrow && 'absolute -top-0.5 right-0',
          )}
        >
          {count >= 50 ? '50+' : count}
        </span>
      )}
    </Link>
  )
  return narrow ? <Tip text={label}>{link}</Tip> : link
}
