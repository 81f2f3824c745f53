import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'

interface Tab<T extends string> {
  readonly value: T
  readonly label: ReactNode
  readonly content: ReactNode
}

interface TabsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly tabs: readonly Tab<T>[]
  readonly onChange: (value: T) => void
  /** At the right of the row of tabs. */
  readonly aside?: ReactNode
  readonly className?: string
}

export function Tabs<T extends string>({ label, value, tabs, onChange, aside, className }: TabsProps<T>) {
  return (
    <BaseTabs.Root
      value={value}
      onValueChange={(next) => onChange(next as T)}
      className={cx('flex min-h-0 flex-col', className)}
    >
      <div className="flex shrink-0 items-center justify-between gap-2 border-b border-line px-3 max-sm:flex-wrap">
        <BaseTabs.List aria-label={label} activateOnFocus className="flex flex-wrap gap-x-1">
          {tabs.map((tab) => (
            <BaseTabs.Tab
              key={tab.value}
              value={tab.value}
              className={cx(
                '-mb-px h-8 border-b-2 border-transparent px-2 text-muted select-none hover:text-text',
                'data-active:border-accent data-active:font-medium data-active:text-text',
              )}
            >
              {tab.label}
            </BaseTabs.Tab>
          ))}
        </BaseTabs.List>
        {aside}
      </div>
      {tabs.map((tab) => (
        <BaseTabs.Panel
          key={tab.value}
          value={tab.value}
          className="flex min-h-0 flex-1 flex-col overflow-auto"
        >
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
