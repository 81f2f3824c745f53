import { Combobox } from '@base-ui/react/combobox'
import { Check, ChevronDown } from '../../lib/icons.tsx'
import { useState } from 'react'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { CONTROL_CLASS, useFieldProps, widthClass } from './field.tsx'
import type { Option } from './select.tsx'

interface ComboProps {
  readonly value: string
  readonly options: readonly Option<string>[]
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly label?: string
  readonly disabled?: boolean
  readonly className?: string
}

/** Chooses one of many options, found by typing a part of its name. */
export function Combo({ value, options, onChange, placeholder, label, disabled, className }: ComboProps) {
  const found = options.find((option) => option.value === value) ?? null
  const [current, setCurrent] = useState(found)
  // The same option in a new object would replace what is being typed.
  if (current?.value !== found?.value || current?.label !== found?.label) setCurrent(found)
  const [typed, setTyped] = useState('')
  const field = useFieldProps()
  return (
    <Combobox.Root
      items={exactFirst(options, typed)}
      value={current}
      disabled={disabled ?? false}
      autoHighlight
      limit={MOST_SHOWN}
      onInputValueChange={(text, { reason }) => setTyped(reason === 'input-change' ? text : '')}
      onValueChange={(next) => next !== null && onChange(next.value)}
      itemToStringLabel={(option: Option<string>) => option.label}
      isItemEqualToValue={(a: Option<string>, b: Option<string>) => a.value === b.value}
    >
      <Combobox.InputGroup className={cx('relative flex', widthClass(className), className)}>
        <Combobox.Input
          {...field}
          aria-label={label}
          placeholder={value === '' || current !== null ? (placeholder ?? t('Choose…')) : value}
          className={cx(CONTROL_CLASS, 'h-7 w-full pr-7')}
        />
        <Combobox.Trigger
          aria-label={t('List {{label}}', { label: label ?? t('the choices') })}
          className="absolute top-0 right-0 grid size-7 place-items-center text-muted"
        >
          <ChevronDown size={14} aria-hidden />
        </Combobox.Trigger>
      </Combobox.InputGroup>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-50">
          <Combobox.Popup className="floating max-h-[min(22rem,var(--available-height))] w-(--anchor-width) min-w-60 overflow-y-auto rounded border border-line bg-raised p-1 shadow-float">
            <Combobox.Empty className="px-2 py-1.5 text-muted empty:hidden">{t('No results')}</Combobox.Empty>
            <Combobox.List>
              {(option: Option<string>) => (
                <Combobox.Item
                  key={option.value}
                  value={option}
                  className="flex items-start gap-2 rounded-sm px-2 py-1 outline-none data-highlighted:bg-selected"
                >
                  <Combobox.ItemIndicator keepMounted className="invisible mt-0.5 data-selected:visible">
                    <Check size={14} aria-hidden className="text-second" />
                  </Combobox.ItemIndicator>
                  <div className="min-w-0">
                    {option.label}
                    {option.hint === undefined || option.hint === '' ? null : (
                      <p className="text-muted">{option.hint}</p>
                    )}
                  </div>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

/** Drawing thousands of options would only be slow; typing finds the others. */
const MOST_SHOWN = 200

/** Enter takes the first option, so the one with exactly this name comes first, even if longer names contain it. */
function exactFirst(options: readonly Option<string>[], typed: string): readonly Option<string>[] {
  const name = typed.trim().toLowerCase()
  const exact = options.filter(({ label }) => label.toLowerCase() === name)
  return name === '' || exact.length === 0
    ? options
    : [...exact, ...options.filter((one) => !exact.includes(one))]
}
