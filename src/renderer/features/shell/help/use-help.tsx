import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { useShortcut } from '../../../components/screen/shortcuts.tsx'
import { t } from '../../../lib/i18n.ts'
import { useHelpStore } from './help-store.ts'
import { topicOf } from './topic.ts'

/** The documentation is loaded with its panel, on first use. */
const HelpPanel = lazy(async () => ({ default: (await import('./help-panel.tsx')).HelpPanel }))

/** F1 opens the help of the focused field, or of the screen. */
export function useHelp(): ReactNode {
  const topic = useHelpStore((state) => state.topic)
  const opened = useHelpStore((state) => state.opened)
  const closed = useHelpStore((state) => state.closed)
  const [asked, setAsked] = useState(false)
  if (topic !== null && !asked) setAsked(true)
  useShortcut({ keys: 'f1', label: t('Help for this field or page'), group: t('Everywhere') }, () => {
    opened(topicOf(document.activeElement, location.pathname))
  })
  if (!asked) return null
  return (
    <Suspense>
      <HelpPanel topic={topic} onClose={closed} />
    </Suspense>
  )
}
