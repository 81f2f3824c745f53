import { lazy, Suspense, useEffect, useLayoutEffect } from 'react'
import type { ReactNode } from 'react'
import { dialogOnTop } from '../../../components/screen/dialog.tsx'
import { takeRoom, useWindowUnder } from '../../../components/screen/room.ts'
import { useShortcut } from '../../../components/screen/shortcuts.tsx'
import { t } from '../../../lib/i18n.ts'
import { BESIDE_FROM, useHelpStore } from './help-store.ts'
import { useNextPart } from './next-part.ts'

const WIDTH = 360

/** Loads the help panel's text and pictures when the panel is first opened. */
const HelpPanel = lazy(async () => ({ default: (await import('./help-panel.tsx')).HelpPanel }))

/** Help next to the screen: “?” opens and closes it, F1 shows help for the focused field. */
export function useHelp(): ReactNode {
  const open = useHelpStore((state) => state.open)
  const dialog = useHelpStore((state) => state.dialog)
  const opened = useHelpStore((state) => state.opened)
  const closed = useHelpStore((state) => state.closed)
  const isOver = useWindowUnder(BESIDE_FROM)
  const group = t('Everywhere')
  useShortcut({ keys: '?', label: t('Help and shortcuts'), group }, () =>
    open && dialog === null ? closed() : opened(),
  )
  useShortcut({ keys: 'f1', label: t('Help for this field or page'), group }, () => opened({}, dialogOnTop()))
  useNextPart()
  useEffect(() => {
    // A window that was made narrower shows the screen, not help over it.
    if (isOver) closed('for now')
  }, [isOver, closed])
  const takes = open && dialog === null && !isOver
  useLayoutEffect(() => {
    takeRoom(takes ? WIDTH : 0)
    document.documentElement.toggleAttribute('data-help', takes)
    return () => takeRoom(0)
  }, [takes])
  if (!open) return null
  return (
    <Suspense fallback={takes ? <div className="w-90 shrink-0 border-l border-line bg-surface" /> : null}>
      <HelpPanel isOver={isOver} />
    </Suspense>
  )
}
