import { Select as BaseSelect } from '@base-ui/react/select'
import { Check, ChevronDown } from '../../lib/icons.tsx'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'
import { CONTROL_CLASS, useFieldProps, widthClass } from './field.tsx'
import { FocusedRow, useReturningFocus } from './popup-focus.tsx'

export interface Option<T extends string> {
  readonly value: T
  readonly label: string
  /** A short explanation of the choice. */
  readonly hint?: string
}

interface SelectProps<T extends string> {
  readonly value: T
  readonly options: readonly Option<T>[]
  readonly onChange: (value: T) => void
  /** The accessible name outside of a Field. */
  readonly label?: string
  readonly disabled?: boolean
  readonly className?: string
}

export function Select<T extends string>({
  value,
  options,
  onChange,
  label,
  disabled,
  className,
}: SelectProps<T>) {
  const { trigger, popup, onOpenChange } = useReturningFocus()
  const current = options.find((option) => option.value === value)
  return (
    <BaseSelect.Root
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
      disabled={disabled ?? false}
      onOpenChange={onOpenChange}
      modal={false}
    >
      <BaseSelect.Trigger
        ref={trigger}
        {...useFieldProps()}
        aria-label={label}
        className={cx(
          CONTROL_CLASS,
          'flex h-7 items-center justify-between gap-2 text-left select-none',
          widthClass(className),
          className,
        )}
      >
        <span className={cx('min-w-0 truncate', current === undefined && 'text-faint')}>
          {current?.label ?? (value === '' ? t('Choose…') : value)}
        </span>
        <BaseSelect.Icon className="shrink-0 text-muted">
          <ChevronDown size={14} aria-hidden />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
          <BaseSelect.Popup
            ref={popup}
            className="floating max-h-[min(24rem,var(--available-height))] min-w-(--anchor-width) overflow-y-auto rounded border border-line bg-raised p-1 shadow-float"
          >
            <BaseSelect.List>
              {options.map((option) => (
                <BaseSelect.Item
                  key={option.value}
                  value={option.value}
                  render={<FocusedRow />}
                  className="flex items-start gap-2 rounded-sm px-2 py-1 outline-none data-highlighted:bg-selected"
                >
                  <BaseSelect.ItemIndicator keepMounted className="invisible mt-0.5 data-selected:visible">
                    <Check size={14} aria-hidden className="text-second" />
                  </BaseSelect.ItemIndicator>
                  <div className="min-w-0">
                    <BaseSelect.ItemText>{option.label}</BaseSelect.ItemText>
                    {option.hint === undefined ? null : <p className="max-w-md text-muted">{option.hint}</p>}
                  </div>
                </BaseSelect.Item>
              ))}
            </BaseSelect.List>
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  )
}
