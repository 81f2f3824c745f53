import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'

interface TabFace<T extends string> {
  readonly value: T
  readonly label: ReactNode
}

interface Tab<T extends string> extends TabFace<T> {
  readonly content: ReactNode
}

interface TabsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly tabs: readonly Tab<T>[]
  readonly onChange: (value: T) => void
  /** On the right of the row of tabs. */
  readonly aside?: ReactNode
  readonly className?: string
}

export function Tabs<T extends string>({ label, value, tabs, onChange, aside, className }: TabsProps<T>) {
  return (
    <TabsRoot value={value} onChange={onChange} className={className}>
      <div className="flex shrink-0 flex-wrap items-center justify-between gap-2 border-b border-line px-3">
        <TabList label={label} tabs={tabs} className="-mb-px" />
        {aside}
      </div>
      <TabPanels tabs={tabs} />
    </TabsRoot>
  )
}

interface TabsRootProps<T extends string> {
  readonly value: T
  readonly onChange: (value: T) => void
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** Wraps a list of tabs and its panels if they aren't directly below each other. */
export function TabsRoot<T extends string>({ value, onChange, className, children }: TabsRootProps<T>) {
  return (
    <BaseTabs.Root
      value={value}
      onValueChange={(next) => onChange(next as T)}
      className={cx('flex min-h-0 flex-col', className)}
    >
      {children}
    </BaseTabs.Root>
  )
}

interface TabListProps<T extends string> {
  readonly label: string
  readonly tabs: readonly TabFace<T>[]
  /** Segments sit in a bar among buttons; lines separate the tabs from their panels. */
  readonly look?: 'lines' | 'segments'
  readonly className?: string
}

const LOOKS = {
  lines: {
    list: 'flex flex-wrap gap-x-1',
    tab: 'h-8 border-b-2 border-transparent px-2 text-muted hover:text-text data-active:border-second data-active:font-medium data-active:text-text',
  },
  segments: {
    list: 'flex flex-wrap rounded border border-line-control/60 p-px',
    tab: 'h-6 rounded-sm px-2 text-muted hover:text-text data-active:bg-selected data-active:font-medium data-active:text-text',
  },
} as const

export function TabList<T extends string>({ label, tabs, look = 'lines', className }: TabListProps<T>) {
  return (
    <BaseTabs.List aria-label={label} activateOnFocus className={cx(LOOKS[look].list, className)}>
      {tabs.map((tab) => (
        <BaseTabs.Tab key={tab.value} value={tab.value} className={cx('select-none', LOOKS[look].tab)}>
          {tab.label}
        </BaseTabs.Tab>
      ))}
    </BaseTabs.List>
  )
}

export function TabPanels<T extends string>({ tabs }: { readonly tabs: readonly Tab<T>[] }) {
  return tabs.map((tab) => (
    <BaseTabs.Panel key={tab.value} value={tab.value} className="flex min-h-0 flex-1 flex-col overflow-auto">
      {tab.content}
    </BaseTabs.Panel>
  ))
}
