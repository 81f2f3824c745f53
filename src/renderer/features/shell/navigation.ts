import { useNavigate } from '@tanstack/react-router'
import {
  Braces,
  Files,
  History,
  House,
  ScrollText,
  TableProperties,
  Ticket,
  Webhook,
  Workflow,
} from '../../lib/icons.tsx'
import { CONNECTOR_SCREENS, SETTINGS_SCREENS } from '../../components/screen/screen-links.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { english, t } from '../../lib/i18n.ts'

/** The screens of the sidebar in their groups, and the keys that lead there. */
export const NAVIGATION = [
  [{ to: '/', label: english('Home'), icon: House, keys: 'g h' }],
  [
    { to: '/flows', label: english('Flows'), icon: Workflow, keys: 'g f' },
    { to: '/runs', label: english('Runs'), icon: History, keys: 'g r' },
    { to: '/webhooks', label: english('Webhooks'), icon: Webhook, keys: 'g w' },
    { to: '/logs', label: english('Logs'), icon: ScrollText, keys: 'g o' },
  ],
  [
    CONNECTOR_SCREENS[0],
    { to: '/data-tables', label: english('Tables'), icon: TableProperties, keys: 'g b' },
    { to: '/env-variables', label: english('Variables'), icon: Braces, keys: 'g e' },
    { to: '/files', label: english('Files'), icon: Files, keys: 'g l' },
  ],
  [{ to: '/tokens', label: english('Access tokens'), icon: Ticket, keys: 'g t' }, SETTINGS_SCREENS[0]],
] as const

export type NavigationScreen =
  | (typeof NAVIGATION)[number][number]
  | (typeof CONNECTOR_SCREENS)[number]
  | (typeof SETTINGS_SCREENS)[number]

/** The appearance of a group, in the sidebar and in the frame that holds its place until it has loaded. */
export const NAVIGATION_GROUP = 'flex flex-col gap-px border-b border-line py-1.5 last:border-0'

export const SCREENS = [...NAVIGATION.flat(), ...CONNECTOR_SCREENS.slice(1), ...SETTINGS_SCREENS.slice(1)]

/** The screens that share an entry of the sidebar; for most entries, there is only the first one. */
export function screensOf(entry: string): readonly NavigationScreen[] {
  const shared = [CONNECTOR_SCREENS, SETTINGS_SCREENS].find(([first]) => first.to === entry)
  return shared ?? SCREENS.filter(({ to }) => to === entry)
}

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
