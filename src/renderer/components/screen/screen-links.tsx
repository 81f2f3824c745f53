import { Link } from '@tanstack/react-router'
import {
  BookOpen,
  Cable,
  KeyRound,
  Layers,
  type LucideIcon,
  Puzzle,
  Settings,
  Stethoscope,
  Users,
} from '../../lib/icons.tsx'
import { useApi } from '../../api/provider.tsx'
import { type English, english, t } from '../../lib/i18n.ts'
import { isOpenTo } from './open-screens.ts'

/** The settings, and the screens reached through them. */
export const SETTINGS_SCREENS = [
  { to: '/settings', label: english('Settings'), icon: Settings, keys: 'g s' },
  { to: '/users', label: english('Users and teams'), icon: Users, keys: 'g u' },
  { to: '/plugins', label: english('Plug-ins'), icon: Puzzle, keys: 'g x' },
  { to: '/reference', label: english('API reference'), icon: BookOpen, keys: 'g d' },
  { to: '/doctor', label: english('Diagnostics'), icon: Stethoscope, keys: 'g i' },
] as const

/** Everything about calling APIs: what can be called, with which credentials, and how lists are read. */
export const CONNECTOR_SCREENS = [
  { to: '/connectors', label: english('Connectors'), icon: Cable, keys: 'g c' },
  { to: '/auths', label: english('Connector auths'), icon: KeyRound, keys: 'g a' },
  { to: '/pagination', label: english('Pagination tester'), icon: Layers, keys: 'g p' },
] as const

export function ConnectorLinks() {
  return <ScreenLinks label={t('Connectors, auths and tester')} screens={CONNECTOR_SCREENS} />
}

export function SettingsLinks() {
  const [settings, ...inside] = SETTINGS_SCREENS
  return (
    <ScreenLinks label={t('Settings')} screens={[{ ...settings, label: english('General') }, ...inside]} />
  )
}

interface ScreenLinksProps {
  readonly label: string
  readonly screens: readonly { readonly to: string; readonly label: English; readonly icon: LucideIcon }[]
}

/** A row of links between screens that share an entry of the sidebar, under the header of each. */
function ScreenLinks({ label: name, screens }: ScreenLinksProps) {
  const api = useApi()
  return (
    <nav aria-label={name} className="flex shrink-0 flex-wrap gap-x-1 border-b border-line bg-surface px-3">
      {screens
        .filter(({ to }) => isOpenTo(api, to))
        .map(({ to, label, icon: Icon }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ includeSearch: false }}
            activeProps={{ className: 'border-second font-medium text-text' }}
            inactiveProps={{ className: 'border-transparent text-muted hover:text-text' }}
            className="-mb-px flex h-9 items-center gap-1.5 border-b-2 px-2 focus-visible:-outline-offset-2"
          >
            <Icon size={14} aria-hidden className="shrink-0" />
            {t(label)}
          </Link>
        ))}
    </nav>
  )
}
