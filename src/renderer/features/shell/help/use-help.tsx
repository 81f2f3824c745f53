import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { useShortcut } from '../../../components/screen/shortcuts.tsx'
import { t } from '../../../lib/i18n.ts'
import { topicOf } from './topic.ts'
import type { Topic } from './topic.ts'

/** The documentation is loaded with its panel, on first use. */
const HelpPanel = lazy(async () => ({ default: (await import('./help-panel.tsx')).HelpPanel }))

/** F1 opens the help of the focused field, or of the screen. */
export function useHelp(): ReactNode {
  const [topic, setTopic] = useState<Topic | null>(null)
  const [asked, setAsked] = useState(false)
  useShortcut({ keys: 'f1', label: t('Help for this field or screen'), group: t('Everywhere') }, () => {
    setTopic(topicOf(document.activeElement, location.pathname))
    setAsked(true)
  })
  if (!asked) return null
  return (
    <Suspense>
      <HelpPanel topic={topic} onClose={() => setTopic(null)} />
    </Suspense>
  )
}
