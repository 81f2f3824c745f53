import { X } from 'lucide-react'
import { useState } from 'react'
import { t } from '../lib/i18n.ts'
import type { SchemaField } from '../lib/schema-fields.ts'
import { Button } from './button.tsx'
import { Field, Switch, TextArea, TextInput } from './field.tsx'
import { Select } from './select.tsx'

interface SchemaFieldsProps {
  readonly fields: readonly SchemaField[]
  readonly values: Readonly<Record<string, unknown>>
  /** Whether a secret is stored under that path (`oauth/client_secret`). */
  readonly isStored: (path: string) => boolean
  readonly onChange: (values: Record<string, unknown>) => void
  readonly path?: string
}

/** The controls of a form that a connector describes. */
export function SchemaFields({ fields, values, isStored, onChange, path = '' }: SchemaFieldsProps) {
  return fields.map((field) => (
    <SchemaControl
      key={field.name}
      field={field}
      value={values[field.name]}
      path={`${path}${field.name}`}
      isStored={isStored}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
    />
  ))
}

interface ControlProps {
  readonly field: SchemaField
  readonly value: unknown
  readonly path: string
  readonly isStored: (path: string) => boolean
  readonly onChange: (value: unknown) => void
}

function SchemaControl(props: ControlProps) {
  const { field, value, path, isStored, onChange } = props
  const { label, help, required, type } = field
  if (type === 'switch')
    return (
      <Switch
        label={label}
        checked={value === true}
        onChange={onChange}
        {...(help === '' ? {} : { hint: help })}
      />
    )
  if (type === 'nested_object' || type === 'daterange' || (type === 'select' && field.multiple))
    return (
      <fieldset className="flex min-w-0 flex-col gap-3 rounded border border-line p-3">
        <legend className="px-1 text-sm font-medium">{label}</legend>
        {help === '' ? null : <p className="text-sm text-muted">{help}</p>}
        <GroupControl {...props} />
      </fieldset>
    )
  const hint = field.secret && isStored(path) ? t('Stored, encrypted. Leave it empty to keep it.') : help
  return (
    <Field label={label} optional={!required} {...(hint === '' ? {} : { hint })}>
      <SingleControl
        {...props}
        text={textOf(value)}
        isSet={field.secret && isStored(path)}
        // An empty secret would forget the stored one.
        onChange={(entered) => onChange(field.secret && entered === '' ? undefined : entered)}
      />
    </Field>
  )
}

function GroupControl({ field, value, path, isStored, onChange }: ControlProps) {
  if (field.type === 'nested_object')
    return (
      <SchemaFields
        fields={field.fields}
        values={objectOf(value)}
        isStored={isStored}
        path={`${path}/`}
        onChange={onChange}
      />
    )
  if (field.type === 'daterange') {
    const range = objectOf(value)
    return (
      <div className="grid grid-cols-2 gap-3">
        {(['from', 'to'] as const).map((end) => (
          <Field key={end} label={end === 'from' ? t('From') : t('To')}>
            <TextInput
              type="date"
              value={textOf(range[end])}
              {...(end === 'to' ? { min: textOf(range['from']) } : { max: textOf(range['to']) })}
              onChange={(date) => onChange({ ...range, [end]: date })}
            />
          </Field>
        ))}
      </div>
    )
  }
  return <ManyChoices field={field} value={value} onChange={onChange} />
}

interface SingleControlProps extends Pick<ControlProps, 'field' | 'onChange'> {
  readonly text: string
  readonly isSet: boolean
}

const INPUT_TYPES = { number: 'number', email: 'email', date: 'date', datetime: 'datetime-local' } as const

function SingleControl({ field, text, isSet, onChange }: SingleControlProps) {
  const placeholder = isSet ? '••••••••' : field.placeholder
  if (field.type === 'textarea')
    return (
      <TextArea mono={field.secret} rows={4} value={text} placeholder={placeholder} onChange={onChange} />
    )
  if (field.secret)
    return (
      <TextInput
        mono
        type="password"
        autoComplete="new-password"
        value={text}
        placeholder={placeholder}
        onChange={onChange}
      />
    )
  if (field.type === 'select') return <OneChoice field={field} text={text} onChange={onChange} />
  const type = field.type in INPUT_TYPES ? INPUT_TYPES[field.type as keyof typeof INPUT_TYPES] : 'text'
  return (
    <TextInput
      type={type}
      step={type === 'number' ? 'any' : undefined}
      value={text}
      placeholder={placeholder}
      onChange={(entered) => onChange(type === 'number' && entered !== '' ? Number(entered) : entered)}
    />
  )
}

function OneChoice({ field, text, onChange }: Omit<SingleControlProps, 'isSet'>) {
  if (!field.allowCreate) return <Select value={text} options={field.options} onChange={onChange} />
  const list = `choices-of-${field.name}`
  return (
    <>
      <TextInput value={text} placeholder={field.placeholder} list={list} onChange={onChange} />
      <datalist id={list}>
        {field.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  )
}

/** Every option with a box; those that were typed stand behind the others. */
function ManyChoices({ field, value, onChange }: Pick<ControlProps, 'field' | 'value' | 'onChange'>) {
  const [typed, setTyped] = useState('')
  const chosen = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  const own = chosen.filter((one) => !field.options.some((option) => option.value === one))
  const add = () => {
    const next = typed.trim()
    if (next !== '' && !chosen.includes(next)) onChange([...chosen, next])
    setTyped('')
  }
  return (
    <>
      <ul className="flex flex-wrap gap-x-4 gap-y-1.5">
        {field.options.map(({ value: option, label }) => (
          <li key={option}>
            <label className="flex items-center gap-1.5">
              <input
                type="checkbox"
                className="size-3.5 accent-(--accent)"
                checked={chosen.includes(option)}
                onChange={({ target }) =>
                  onChange(target.checked ? [...chosen, option] : chosen.filter((one) => one !== option))
                }
              />
              {label}
            </label>
          </li>
        ))}
        {own.map((one) => (
          <li key={one} className="flex items-center gap-1 rounded-full bg-sunken pr-1 pl-2">
            {one}
            <button
              type="button"
              aria-label={t('Remove {{name}}', { name: one })}
              className="grid size-5 place-items-center rounded-full text-muted hover:bg-hover"
              onClick={() => onChange(chosen.filter((other) => other !== one))}
            >
              <X size={12} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      {field.allowCreate ? (
        <div className="flex items-end gap-2">
          <Field label={t('Another one')} className="flex-1">
            <TextInput
              value={typed}
              onChange={setTyped}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                add()
              }}
            />
          </Field>
          <Button onClick={add}>{t('Add')}</Button>
        </div>
      ) : null}
    </>
  )
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
