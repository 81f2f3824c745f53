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
  /** Shown to the right of the tabs. */
  readonly aside?: ReactNode
  /** For many tabs in a narrow box. */
  readonly isDense?: boolean
  readonly className?: string
}

export function Tabs<T extends string>(props: TabsProps<T>) {
  const { label, value, tabs, onChange, aside, isDense = false, className } = props
  return (
    <TabsRoot value={value} onChange={onChange} className={className}>
      <div
        className={cx(
          'flex shrink-0 items-center justify-between border-b border-line',
          isDense ? 'gap-1 px-1.5' : 'flex-wrap gap-2 px-3',
        )}
      >
        <TabList label={label} tabs={tabs} look={isDense ? 'dense' : 'lines'} className="-mb-px" />
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
  readonly look?: keyof typeof LOOKS
  readonly className?: string
}

const LINE =
  'h-8 border-b-2 border-transparent text-muted hover:text-text data-active:border-second data-active:font-medium data-active:text-text'

const LOOKS = {
  lines: { list: 'flex flex-wrap gap-x-1', tab: `${LINE} px-2` },
  dense: { list: 'flex flex-wrap', tab: `${LINE} px-1.5` },
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
