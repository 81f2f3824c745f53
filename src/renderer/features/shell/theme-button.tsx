import { Monitor, Moon, Sun } from 'lucide-react'
import type { LucideIcon } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { Menu } from '../../components/menu.tsx'
import { useTheme } from '../../components/theme.ts'
import type { Theme } from '../../components/theme.ts'
import { useShellStore } from './shell-store.ts'

const THEMES: Readonly<Record<Theme, readonly [string, LucideIcon]>> = {
  system: ['As the system has it', Monitor],
  light: ['Light', Sun],
  dark: ['Dark', Moon],
}

export function ThemeButton() {
  const theme = useTheme()
  const themeChosen = useShellStore((state) => state.themeChosen)
  const [name, icon] = THEMES[theme]
  return (
    <Menu
      align="start"
      trigger={<IconButton label={`Theme: ${name}`} icon={icon} />}
      groups={[
        (Object.keys(THEMES) as Theme[]).map((value) => ({
          label: THEMES[value][0],
          icon: THEMES[value][1],
          onSelect: () => void themeChosen(value),
        })),
      ]}
    />
  )
}
