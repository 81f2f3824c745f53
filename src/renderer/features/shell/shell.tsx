import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { t } from '../../lib/i18n.ts'
import { ActingBanner } from './acting-banner.tsx'
import { useFailureNotices } from './failure-notices.ts'
import { useHelp } from './help/use-help.tsx'
import { PaletteMeanwhile } from './palette-meanwhile.tsx'
import type { TypedAhead } from './palette-meanwhile.tsx'
import { Sidebar } from './sidebar.tsx'
import { StatusBar } from './status-bar.tsx'
import { useNavigationKeys } from './navigation.ts'

/** Not needed for the first paint; loaded as soon as the page is idle. */
const loadPalette = async () => ({ default: (await import('./palette.tsx')).Palette })
const Palette = lazy(loadPalette)
const NOTHING_TYPED: TypedAhead = { text: '', entered: false }

/** The frame around every screen: the navigation, the screen, and the program's state. */
export function Shell() {
  useNavigationKeys()
  useFailureNotices()
  const [searching, setSearching] = useState({ open: false, times: 0 })
  useEffect(() => {
    const idle = requestIdleCallback(() => void loadPalette())
    return () => cancelIdleCallback(idle)
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
    <div className="grid h-full grid-cols-[auto_minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto]">
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
