import { Combobox } from '@base-ui/react/combobox'
import { Check, ChevronDown } from '../../lib/icons.tsx'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import { useApi } from '../../api/provider.tsx'
import { fieldsOf, wordsOf } from '../../api/failure.ts'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import type { SchemaField } from '../../lib/schema-fields.ts'
import { CONTROL_CLASS, useFieldProps } from '../controls/field.tsx'
import type { LookupPlace } from './lookup-place.ts'
import { idInUrl } from './id-in-url.ts'
import { createLookupStore, type LookupTarget } from './lookup-store.ts'

/** An ID and the name of its record; an empty name is unknown. */
export interface Picked {
  readonly value: string | number
  readonly label: string
  /** Whether it was typed, not chosen from the list. */
  readonly isTyped?: true
}

interface LookupInputProps {
  readonly field: SchemaField
  readonly target: LookupTarget
  readonly mendAuth: LookupPlace['mendAuth']
  readonly value: Picked | null
  /** Called with null if the field was emptied. */
  readonly onPick: (picked: Picked | null) => void
}

/** Picks one record by typing part of its name, or by its ID, typed or taken from a URL. */
export function LookupInput({ field, target, mendAuth, value, onPick }: LookupInputProps) {
  const api = useApi()
  const [store] = useState(() => createLookupStore(api))
  const { choices, status, failure, hasMore, asked, endReached, closed } = useStore(store)
  useEffect(() => () => store.getState().closed(), [store])
  const [current, setCurrent] = useState(value)
  // The same record in a new object would replace what is being typed.
  if (current?.value !== value?.value || current?.label !== value?.label) setCurrent(value)
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const props = useFieldProps()
  const problem = 'problem' in target ? target.problem : null

  const ask = (text: string) => {
    if ('place' in target) asked(target.place, idInUrl(text, field.urls) ?? text.trim())
  }
  const found = choices.flatMap(({ value: id, label }): Picked[] =>
    typeof id === 'string' || typeof id === 'number' ? [{ value: id, label }] : [],
  )
  const own = status === 'loading' ? null : typedId(typed, field.urls, found)
  const items = own === null ? found : [...found, own]
  return (
    <Combobox.Root
      items={items}
      filter={null}
      value={current}
      open={isOpen}
      autoHighlight
      onOpenChange={(open, { reason }) => {
        setOpen(open)
        // When typing opens a closed field's list, the choices for its text have already been requested.
        if (open && reason === 'input-change') return
        setTyped('')
        if (open) ask('')
        else closed()
      }}
      onInputValueChange={(text, { reason }) => {
        if (reason !== 'input-change') return
        setTyped(text)
        ask(text)
      }}
      onItemHighlighted={(_item, { index }) => {
        if (index >= found.length - NEAR_THE_END) endReached()
      }}
      onValueChange={(next) => onPick(next === null ? null : { value: next.value, label: next.label })}
      itemToStringLabel={(one: Picked) => one.label || String(one.value)}
      isItemEqualToValue={(a: Picked, b: Picked) => a.value === b.value}
    >
      <Combobox.InputGroup className="relative flex w-full">
        <Combobox.Input
          {...props}
          placeholder={field.placeholder || (field.multiple ? t('Add…') : t('Choose…'))}
          className={cx(CONTROL_CLASS, 'h-7 w-full pr-7')}
        />
        <Combobox.Trigger
          aria-label={t('List {{label}}', { label: field.label })}
          className="absolute top-0 right-0 grid size-7 place-items-center text-muted"
        >
          <ChevronDown size={14} aria-hidden />
        </Combobox.Trigger>
      </Combobox.InputGroup>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-50">
          <Combobox.Popup
            onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
              if (scrollHeight - scrollTop - clientHeight < clientHeight) endReached()
            }}
            className="floating max-h-[min(22rem,var(--available-height))] w-(--anchor-width) min-w-60 overflow-y-auto rounded border border-line bg-raised p-1 shadow-float"
          >
            <Combobox.List>
              {(one: Picked) => (
                <Combobox.Item
                  key={one.isTyped ? 'typed' : String(one.value)}
                  value={one}
                  className="flex items-start gap-2 rounded-sm px-2 py-1 outline-none data-highlighted:bg-selected"
                >
                  <Combobox.ItemIndicator keepMounted className="invisible mt-0.5 data-selected:visible">
                    <Check size={14} aria-hidden className="text-second" />
                  </Combobox.ItemIndicator>
                  {one.isTyped ? (
                    <span className="min-w-0 break-all">{t('Use the ID {{id}}', { id: one.value })}</span>
                  ) : (
                    <span className="flex min-w-0 flex-1 items-baseline justify-between gap-3">
                      <span className="min-w-0 break-words">{one.label || one.value}</span>
                      <span className="max-w-[40%] shrink-0 truncate font-mono text-code text-muted">
                        {one.value}
                      </span>
                    </span>
                  )}
                </Combobox.Item>
              )}
            </Combobox.List>
            <Combobox.Status className="px-2 py-1.5 text-muted empty:hidden">
              {problem ?? statusWords(status, found.length, hasMore)}
            </Combobox.Status>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
      {failure === null ? null : <Failure failure={failure} target={target} mendAuth={mendAuth} />}
    </Combobox.Root>
  )
}

const NEAR_THE_END = 5

/** Takes the text as an ID if it matches no choice. */
function typedId(text: string, urls: readonly string[], found: readonly Picked[]): Picked | null {
  const id = idInUrl(text, urls) ?? text.trim()
  if (id === '' || found.some(({ value }) => String(value) === id)) return null
  return { value: id, label: '', isTyped: true }
}

function statusWords(status: string, count: number, hasMore: boolean): string {
  if (status === 'loading') return t('Loading')
  if (status === 'failed') return t('Couldn’t load the choices. You can type an ID.')
  if (status !== 'ready') return ''
  if (count === 0) return t('No results')
  return hasMore ? '' : t('{{count}} found', { count })
}

interface FailureProps extends Pick<LookupInputProps, 'target' | 'mendAuth'> {
  readonly failure: AppError
}

/** Why there are no choices, and how to fix that. */
function Failure({ failure, target, mendAuth }: FailureProps) {
  const authId = 'place' in target ? (target.place.auth_id ?? null) : null
  const [first] = Object.values(fieldsOf(failure))
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 text-error">
      <p className="min-w-0 break-words">{first?.[0] ?? wordsOf(failure)}</p>
      {failure.code === 'conflict' && authId !== null ? mendAuth(authId) : null}
    </div>
  )
}
