/**
 * Shared parts of list screens: the button that adds to the list, the search, the filters, and content shown instead of
 * rows.
 */
import type { ReactNode } from 'react'
import { FilterX, type LucideIcon, Plus } from '../../lib/icons.tsx'
import { Button, ButtonLink } from '../controls/button.tsx'
import type { Combo } from '../controls/combo.tsx'
import { TextInput } from '../controls/field.tsx'
import { type Option, Select } from '../controls/select.tsx'
import { EmptyState } from './empty-state.tsx'
import { Loaded, type LoadedProps } from './loaded.tsx'
import { Toolbar } from './page.tsx'
import { type Shortcut, useShortcut } from './shortcuts.tsx'

interface AddButton extends Required<Pick<Shortcut, 'label' | 'group' | 'needs'>> {
  readonly icon?: LucideIcon
  readonly onClick: () => void
}

/** The button that adds to the list; `n` does the same. */
export function useAddButton({ label, group, needs, icon = Plus, onClick }: AddButton): ReactNode {
  useShortcut({ keys: 'n', label, group, needs }, onClick)
  return (
    <Button look="primary" icon={icon} needs={needs} onClick={onClick}>
      {label}
    </Button>
  )
}

interface SearchProps {
  /** The accessible name. */
  readonly label: string
  /** Names the searched field: `Search by name`. */
  readonly placeholder: string
  readonly className?: string
  readonly value: string
  readonly onChange: (text: string) => void
}

export function SearchInput({ label, className = 'w-72', ...rest }: SearchProps) {
  return <TextInput type="search" aria-label={label} className={className} {...rest} />
}

/** A toolbar with only a search and the length of the list. */
export function SearchBar({ count, ...search }: SearchProps & { readonly count: ReactNode }) {
  return (
    <Toolbar>
      <SearchInput {...search} />
      <output className="ml-auto text-sm text-muted">{count}</output>
    </Toolbar>
  )
}

interface FilterProps<T extends string> {
  readonly label: string
  /** The choice that filters nothing. */
  readonly any: string
  readonly className: string
  readonly value: T | undefined
  readonly options: readonly Option<T>[]
  readonly onChange: (value: T | undefined) => void
  /** A `Combo` for many options. Screens with few options don't load it. */
  readonly as?: typeof Combo
}

export function Filter<T extends string>(props: FilterProps<T>) {
  const { any, value, options, onChange, as: Choice = Select<string>, ...rest } = props
  return (
    <Choice
      value={value ?? ANY}
      options={[{ value: ANY, label: any }, ...options]}
      onChange={(next) => onChange(options.find((option) => option.value === next)?.value)}
      {...rest}
    />
  )
}

const ANY = 'any'

interface FilteredProps<Row> extends LoadedProps<readonly Row[]> {
  readonly matches: (row: Row) => boolean
  /** Shown if the list is empty. */
  readonly empty: ReactNode
  /** Shown if no row matches the filters. */
  readonly none: ReactNode
}

/** A list that is loaded as a whole and filtered on the page. */
export function Filtered<Row>({ matches, empty, none, children, ...loaded }: FilteredProps<Row>) {
  return (
    <Loaded {...loaded}>
      {(all) => {
        if (all.length === 0) return empty
        const matching = all.filter(matches)
        return matching.length === 0 ? none : children(matching)
      }}
    </Loaded>
  )
}

interface NoMatchesProps {
  readonly title: string
  /** The URL of the unfiltered list, and the label of the link to it. */
  readonly to: string
  readonly all: string
  readonly children: ReactNode
}

export function NoMatches({ title, to, all, children }: NoMatchesProps) {
  return (
    <EmptyState icon={FilterX} title={title} action={<ButtonLink to={to}>{all}</ButtonLink>}>
      {children}
    </EmptyState>
  )
}
