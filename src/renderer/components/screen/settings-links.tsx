import { Link } from '@tanstack/react-router'
import { BookOpen, Files, ScrollText, Settings, Stethoscope, Users } from 'lucide-react'
import { useApi } from '../../api/provider.tsx'
import { english, t } from '../../lib/i18n.ts'
import { isOpenTo } from './open-screens.ts'

/** The settings, and the screens reached through them. */
export const SETTINGS_SCREENS = [
  { to: '/settings', label: english('Settings'), icon: Settings, keys: 'g s' },
  { to: '/files', label: english('Files'), icon: Files, keys: 'g l' },
  { to: '/users', label: english('Users and teams'), icon: Users, keys: 'g u' },
  { to: '/reference', label: english('API reference'), icon: BookOpen, keys: 'g d' },
  { to: '/doctor', label: english('Diagnostics'), icon: Stethoscope, keys: 'g i' },
  { to: '/logs', label: english('Logs'), icon: ScrollText, keys: 'g o' },
] as const

/** A row of links between the settings and the screens inside them, under the header of each. */
export function SettingsLinks() {
  const api = useApi()
  return (
    <nav
      aria-label={t('Settings')}
      className="flex shrink-0 flex-wrap gap-x-1 border-b border-line bg-surface px-3"
    >
      {SETTINGS_SCREENS.filter(({ to }) => isOpenTo(api, to)).map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ includeSearch: false }}
          activeProps={{ className: 'border-accent font-medium text-text' }}
          inactiveProps={{ className: 'border-transparent text-muted hover:text-text' }}
          className="-mb-px flex h-9 items-center gap-1.5 border-b-2 px-2 focus-visible:-outline-offset-2"
        >
          <Icon size={14} aria-hidden className="shrink-0" />
          {to === '/settings' ? t('General') : t(label)}
        </Link>
      ))}
    </nav>
  )
}
