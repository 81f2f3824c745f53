import { useNavigate } from '@tanstack/react-router'
import {
  BookOpen,
  Braces,
  Cable,
  Files,
  House,
  KeyRound,
  ListOrdered,
  ScrollText,
  Settings,
  Ticket,
  Users,
  Webhook,
  Workflow,
} from 'lucide-react'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { english, t } from '../../lib/i18n.ts'

/** Every screen of the page, in the order of the navigation, and the keys that lead there. */
export const SCREENS = [
  { to: '/', label: english('Home'), icon: House, keys: 'g h' },
  { to: '/flows', label: english('Flows'), icon: Workflow, keys: 'g f' },
  { to: '/runs', label: english('Runs'), icon: ListOrdered, keys: 'g r' },
  { to: '/webhooks', label: english('Webhooks'), icon: Webhook, keys: 'g w' },
  { to: '/connectors', label: english('Connectors'), icon: Cable, keys: 'g c' },
  { to: '/auths', label: english('Auths'), icon: KeyRound, keys: 'g a' },
  { to: '/tokens', label: english('Tokens'), icon: Ticket, keys: 'g t' },
  { to: '/env-variables', label: english('Env variables'), icon: Braces, keys: 'g e' },
  { to: '/files', label: english('Files'), icon: Files, keys: 'g l' },
  { to: '/users', label: english('Users and teams'), icon: Users, keys: 'g u' },
  { to: '/pagination', label: english('Pagination tester'), icon: ScrollText, keys: 'g p' },
  { to: '/reference', label: english('API reference'), icon: BookOpen, keys: 'g d' },
  { to: '/settings', label: english('Settings'), icon: Settings, keys: 'g s' },
] as const

export function useNavigationKeys(): void {
  const navigate = useNavigate()
  for (const { to, label, keys } of SCREENS) {
    // The table above never changes, so the hooks are called in the same order each time.
    // oxlint-disable-next-line react/hooks
    useShortcut(
      { keys, label: t('Go to {{label}}', { label: t(label) }), group: t('Go to') },
      () => void navigate({ to }),
    )
  }
}
