import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { t } from '../../lib/i18n.ts'
import { useFailureNotices } from './failure-notices.ts'
import { useHelp } from './help/use-help.tsx'
import { PaletteMeanwhile } from './palette-meanwhile.tsx'
import type { TypedAhead } from './palette-meanwhile.tsx'
import { Sidebar } from './sidebar.tsx'
import { StatusBar } from './status-bar.tsx'
import { useNavigationKeys } from './navigation.ts'
import { UserRoundCheck } from '../../lib/icons.tsx'
import { OWN_USER } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { Trans } from '../../lib/trans.tsx'
import { userName } from '../../lib/format.ts'

/** Not needed for the first screen, and loaded after it. */
const loadPalette = async () => ({ default: (await import('./palette.tsx')).Palette })
const Palette = lazy(loadPalette)
const PALETTE_AFTER_MS = 2_000
const NOTHING_TYPED: TypedAhead = { text: '', entered: false }

/** The frame around every screen: the navigation, the screen, and the server's state. */
export function Shell() {
  useNavigationKeys()
  useFailureNotices()
  const [searching, setSearching] = useState({ open: false, times: 0 })
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette(), PALETTE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  const [typedAhead, setTypedAhead] = useState(NOTHING_TYPED)
  const close = () => setSearching(({ times }) => ({ open: false, times }))
  const search = () => {
    setTypedAhead(NOTHING_TYPED)
    setSearching(({ times }) => ({ open: true, times: times + 1 }))
  }
  useShortcut({ keys: 'mod+k', label: t('Search and commands'), group: t('Everywhere') }, search)
  const help = useHelp()
  return (
    <div className="flex h-full">
      <div className="window grid min-w-0 flex-1 grid-cols-[auto_minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]">
        <a
          href="#content"
          className="absolute top-2 left-2 z-50 -translate-y-16 rounded bg-accent px-3 py-1.5 text-on-accent focus:translate-y-0"
        >
          {t('Skip to content')}
        </a>
        <ActingBanner />
        <Sidebar onSearch={search} />
        <main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col outline-none">
          <Outlet />
        </main>
        <StatusBar />
      </div>
      {help}
      {searching.times === 0 ? null : (
        <Suspense
          fallback={searching.open ? <PaletteMeanwhile onTyped={setTypedAhead} onClose={close} /> : null}
        >
          <Palette {...searching} typedAhead={typedAhead} onClose={close} />
        </Suspense>
      )}
    </div>
  )
}

/** Shows on every screen that you act as another user. */
function ActingBanner() {
  const api = useApi()
  const { data: user } = useResource(OWN_USER)
  return (
    <div role="status" className="col-span-2">
      {api.actingAs() === null || user === null ? null : (
        <div className="flex min-h-9 flex-wrap items-center gap-3 border-b border-retrying/40 bg-retrying-soft px-4 py-1 text-retrying">
          <UserRoundCheck size={15} aria-hidden className="shrink-0" />
          <p className="min-w-0 flex-1">
            <Trans
              text={
                '<strong>You’re acting as {{name}}.</strong> You see what {{name}} can see, and anything you create belongs to {{name}}.'
              }
              values={{ name: userName(user) }}
              parts={{ strong: <strong /> }}
            />
          </p>
          <Button onClick={() => api.actAs(null)}>{t('Stop acting as this user')}</Button>
        </div>
      )}
    </div>
  )
}
