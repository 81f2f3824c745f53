import { createContext, use, useId } from 'react'
import type { InputHTMLAttributes, ReactNode, Ref, TextareaHTMLAttributes } from 'react'
import { Switch as BaseSwitch } from '@base-ui/react/switch'
import { CircleAlert } from '../../lib/icons.tsx'
import { cx } from '../../lib/cx.ts'
import { t } from '../../lib/i18n.ts'

interface FieldProps {
  readonly label: ReactNode
  /** A sentence that says what to enter. */
  readonly hint?: ReactNode | undefined
  /** Why the value was rejected. */
  readonly error?: string | undefined
  /** Shown to the right of the label: a switch between two input modes. */
  readonly aside?: ReactNode
  readonly optional?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** After a label, with a space that separates the words for screen readers. */
export function Optional() {
  return (
    <>
      {' '}
      <span className="ml-0.5 font-normal text-faint">{t('optional')}</span>
    </>
  )
}

/** A control with its label, hint and error, connected for screen readers. */
export function Field({ label, hint, error, aside, optional, className, children }: FieldProps) {
  const id = useId()
  const describedBy =
    cx(hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`) || undefined
  return (
    <div data-optional={optional || undefined} className={cx('flex min-w-0 flex-col gap-1', className)}>
      <div className="flush-quiet flex min-h-5 items-center justify-between gap-2">
        <label htmlFor={id} id={`${id}-label`} className="font-medium text-text">
          {label}
          {optional ? <Optional /> : null}
        </label>
        {aside}
      </div>
      <FieldContext value={{ id, labelId: `${id}-label`, describedBy, invalid: error !== undefined }}>
        {children}
      </FieldContext>
      {error === undefined ? null : (
        <p id={`${id}-error`} className="flex items-start gap-1.5 text-error">
          <CircleAlert size={13} aria-hidden className="mt-0.5 shrink-0" />
          <span className="min-w-0 break-words">{error}</span>
        </p>
      )}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}

interface FieldIds {
  readonly id: string
  readonly labelId: string
  readonly describedBy: string | undefined
  readonly invalid: boolean
}

const FieldContext = createContext<FieldIds | null>(null)

/** The attributes that a control inside a Field sets on its element; none outside of a Field. */
export function useFieldProps() {
  const field = use(FieldContext)
  if (field === null) return {}
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.invalid || undefined,
  } as const
}

export function useFieldLabel(): string | undefined {
  return use(FieldContext)?.labelId
}

export const CONTROL_CLASS = cx(
  'min-w-0 rounded border border-line-control/70 bg-surface px-2 text-text',
  'hover:border-line-control focus:border-accent focus:outline-1 focus:-outline-offset-1 focus:outline-accent',
  'disabled:opacity-60 aria-invalid:border-error',
)

/** Controls fill their field unless they have a width. */
export function widthClass(className: string | undefined): string {
  return /(?:^|\s)w-/.test(className ?? '') ? '' : 'w-full'
}

type TextInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> & {
  readonly value: string
  readonly onChange?: (value: string) => void
  /** Data, templates and URLs use the monospaced font. */
  readonly mono?: boolean
  readonly ref?: Ref<HTMLInputElement>
}

export function TextInput({ onChange, mono, className, ...rest }: TextInputProps) {
  return (
    <input
      type="text"
      spellCheck={false}
      autoComplete="off"
      {...useFieldProps()}
      {...rest}
      onChange={(event) => onChange?.(event.target.value)}
      className={cx(
        CONTROL_CLASS,
        'h-7 read-only:bg-sunken',
        mono && 'font-mono text-code',
        widthClass(className),
        className,
      )}
    />
  )
}

type TextAreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> & {
  readonly value: string
  readonly onChange?: (value: string) => void
  readonly mono?: boolean
  readonly ref?: Ref<HTMLTextAreaElement>
}

/** Grows with its text, up to a third of the window. */
export function TextArea({ onChange, mono, className, rows = 2, ...rest }: TextAreaProps) {
  return (
    <textarea
      spellCheck={!mono}
      rows={rows}
      {...useFieldProps()}
      {...rest}
      onChange={(event) => onChange?.(event.target.value)}
      className={cx(
        CONTROL_CLASS,
        'field-sizing-content max-h-[33vh] min-h-7 resize-y py-1 read-only:bg-sunken',
        mono && 'font-mono text-code',
        widthClass(className),
        className,
      )}
    />
  )
}

/** The selection, which the next character replaces; null without a text area. */
export function selectionOf(area: HTMLTextAreaElement | null): { from: number; to: number } | null {
  return area === null ? null : { from: area.selectionStart, to: area.selectionEnd }
}

interface SwitchProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

/** A switch that takes effect immediately. The label on its right says what it turns on. */
export function Switch({ label, hint, checked, disabled, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <BaseSwitch.Root
        id={id}
        checked={checked}
        disabled={disabled ?? false}
        onCheckedChange={onChange}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className={cx(
          'mt-0.5 flex h-4 w-7 shrink-0 items-center rounded-full border border-line-control bg-sunken p-px',
          'transition-colors duration-100 data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50',
        )}
      >
        <BaseSwitch.Thumb className="size-3 rounded-full bg-line-control transition-transform duration-100 data-checked:translate-x-3 data-checked:bg-on-accent" />
      </BaseSwitch.Root>
      <div className="min-w-0">
        <label id={`${id}-label`} htmlFor={id} className="block text-base">
          {label}
        </label>
        {hint === undefined ? null : (
          <p id={`${id}-hint`} className="text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
