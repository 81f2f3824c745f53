import { Monitor, Moon, Sun } from '../../lib/icons.tsx'
import type { LucideIcon } from '../../lib/icons.tsx'
import { useApi } from '../../api/provider.tsx'
import { IconButton } from '../../components/controls/button.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { useTheme } from '../../components/screen/theme.ts'
import type { Theme } from '../../components/screen/theme.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import { chooseTheme } from './program-state.ts'

const THEMES: Readonly<Record<Theme, readonly [English, LucideIcon]>> = {
  system: [english('System'), Monitor],
  light: [english('Light'), Sun],
  dark: [english('Dark'), Moon],
}

export function ThemeButton() {
  const theme = useTheme()
  const api = useApi()
  const [name, icon] = THEMES[theme]
  return (
    <Menu
      align="start"
      trigger={<IconButton label={t('Theme: {{name}}', { name: t(name) })} icon={icon} />}
      groups={[
        (Object.keys(THEMES) as Theme[]).map((value) => ({
          label: t(THEMES[value][0]),
          icon: THEMES[value][1],
          onSelect: () => void chooseTheme(api, value),
        })),
      ]}
    />
  )
}
