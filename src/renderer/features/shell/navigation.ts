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
import { useShortcut } from '../../components/shortcuts.tsx'

/** Every screen of the page, in the order of the navigation, and the keys that lead there. */
export const SCREENS = [
  { to: '/', label: 'Home', icon: House, keys: 'g h' },
  { to: '/flows', label: 'Flows', icon: Workflow, keys: 'g f' },
  { to: '/runs', label: 'Runs', icon: ListOrdered, keys: 'g r' },
  { to: '/webhooks', label: 'Webhooks', icon: Webhook, keys: 'g w' },
  { to: '/connectors', label: 'Connectors', icon: Cable, keys: 'g c' },
  { to: '/auths', label: 'Auths', icon: KeyRound, keys: 'g a' },
  { to: '/tokens', label: 'Tokens', icon: Ticket, keys: 'g t' },
  { to: '/env-variables', label: 'Env variables', icon: Braces, keys: 'g e' },
  { to: '/files', label: 'Files', icon: Files, keys: 'g l' },
  { to: '/users', label: 'Users and teams', icon: Users, keys: 'g u' },
  { to: '/pagination', label: 'Pagination tester', icon: ScrollText, keys: 'g p' },
  { to: '/reference', label: 'API reference', icon: BookOpen, keys: 'g d' },
  { to: '/settings', label: 'Settings', icon: Settings, keys: 'g s' },
] as const

export function useNavigationKeys(): void {
  const navigate = useNavigate()
  for (const { to, label, keys } of SCREENS) {
    // The table above never changes, so the hooks are called in the same order each time.
    // oxlint-disable-next-line react-hooks/rules-of-hooks
    useShortcut({ keys, label: `Go to ${label}`, group: 'Go to' }, () => void navigate({ to }))
  }
}
