import { Plus, X } from '../../lib/icons.tsx'
import { useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { Button, IconButton } from './button.tsx'
import { Field, TextArea, TextInput } from './field.tsx'

interface DictionaryFieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  /** The noun for an item: `header`. */
  readonly noun: string
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
  /** Shown before the button that adds an item, if there are no items. */
  readonly aside?: ReactNode
  /** Whether values can be JSON, such as a number or a list, as well as plain text. */
  readonly typed?: boolean
  /** A control for a value, instead of a plain text area. */
  readonly renderValue?: (control: ValueControl) => ReactNode
}

export interface ValueControl {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
}

interface Row {
  readonly key: string
  readonly text: string
}

/**
 * Names with values, one row each. Incomplete rows exist only here, because an object has no empty or duplicate keys,
 * and the value outside changes only when it is valid.
 */
export function DictionaryField(props: DictionaryFieldProps) {
  const { label, hint, error, noun, value, onChange, typed = false } = props
  const renderValue = props.renderValue ?? plainValue
  const [rows, setRows] = useState<readonly Row[]>(() => toRows(value, typed))
  const outside = JSON.stringify(value)
  const [shown, setShown] = useState(outside)
  const list = useRef<HTMLDivElement>(null)
  const added = useRef(false)
  useLayoutEffect(() => {
    if (!added.current) return
    added.current = false
    list.current?.querySelector<HTMLElement>(':scope > :last-child input')?.focus()
  })

  // A value that changed outside (undo, JSON view) replaces the rows; one that came from these rows doesn't.
  if (shown !== outside) {
    setShown(outside)
    if (JSON.stringify(fromRows(rows, typed)) !== outside) setRows(toRows(value, typed))
  }

  function change(next: readonly Row[]) {
    setRows(next)
    const dictionary = fromRows(next, typed)
    setShown(JSON.stringify(dictionary))
    onChange(dictionary)
  }

  const replace = (at: number, row: Row) => change(rows.map((old, index) => (index === at ? row : old)))
  const duplicate = rows.find(
    (row, index) => row.key !== '' && rows.findIndex((r) => r.key === row.key) < index,
  )
  const problem =
    error ??
    (duplicate === undefined
      ? undefined
      : t('“{{key}}” is used twice. The last value counts.', { key: duplicate.key }))

  return (
    <Field
      label={
        <>
          {label}
          {rows.length === 0 ? null : (
            <span className="tabular font-normal whitespace-nowrap text-faint">{`\u00A0(${rows.length})`}</span>
          )}
        </>
      }
      hint={hint}
      error={problem}
      aside={
        <span className="flex items-center gap-1">
          <Button
            look="quiet"
            icon={Plus}
            onClick={() => {
              added.current = true
              setRows([...rows, { key: '', text: '' }])
            }}
            className="h-6"
          >
            {t('Add {{noun}}', { noun })}
          </Button>
          {rows.length === 0 ? props.aside : null}
        </span>
      }
    >
      <div ref={list} role="group" aria-label={label} className="flex flex-col gap-1">
        {rows.map((row, index) => (
          // Rows are identified only by their position while they are typed.
          <div key={index} className="flex items-start gap-1">
            <TextInput
              mono
              id={undefined}
              value={row.key}
              placeholder={t('{{noun}} name', { noun })}
              aria-label={t('Name of {{noun}} {{index}}', { noun, index: index + 1 })}
              className="max-w-[40%]"
              onChange={(key) => replace(index, { ...row, key })}
            />
            {renderValue({
              label: t('Value of {{name}}', { name: row.key === '' ? `${noun} ${index + 1}` : row.key }),
              placeholder: t('value or {{ template }}'),
              value: row.text,
              onChange: (text) => replace(index, { ...row, text }),
            })}
            <IconButton
              label={t('Remove {{name}}', { name: row.key === '' ? `${noun} ${index + 1}` : row.key })}
              icon={X}
              onClick={() => change(rows.filter((_row, at) => at !== index))}
            />
          </div>
        ))}
      </div>
    </Field>
  )
}

function plainValue({ label, ...rest }: ValueControl) {
  return <TextArea mono rows={1} id={undefined} aria-label={label} {...rest} />
}

function toRows(value: Readonly<Record<string, unknown>>, typed: boolean): readonly Row[] {
  return Object.entries(value).map(([key, item]) => ({ key, text: toText(item, typed) }))
}

function fromRows(rows: readonly Row[], typed: boolean): Record<string, unknown> {
  return Object.fromEntries(
    rows
      .filter((row) => row.key.trim() !== '')
      .map((row) => [row.key, typed ? fromText(row.text) : row.text]),
  )
}

/**
 * Strings are shown without quotes unless they would be read as something else: `"5"` for the string, `5` for the
 * number.
 */
function toText(value: unknown, typed: boolean): string {
  if (typeof value === 'string') return typed && fromText(value) !== value ? JSON.stringify(value) : value
  return JSON.stringify(value)
}

function fromText(text: string): unknown {
  if (!/^\s*(?:[[{"]|-?\d|true\b|false\b|null\b)/.test(text) || /^\s*\{\{/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
