import { Braces } from '../../lib/icons.tsx'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { t, translateConnectorText } from '../../lib/i18n.ts'
import type { SchemaField } from '../../lib/schema-fields.ts'
import { IconButton } from '../controls/button.tsx'
import { Field, Optional, Switch, TextInput } from '../controls/field.tsx'
import { LookupControl } from './lookup-control.tsx'
import { useLookupPlace } from './lookup-place.ts'
import { ManyChoices } from './many-choices.tsx'
import { SingleControl } from './single-control.tsx'

interface SchemaFormProps {
  readonly fields: readonly SchemaField[]
  /** The connector that the form belongs to. Field labels of built-in connectors are translated. */
  readonly connector: Pick<Connector, 'built_in'> | undefined
  readonly values: Readonly<Record<string, unknown>>
  readonly onChange: (values: Record<string, unknown>) => void
  /** Whether a secret is stored under that path (`oauth/client_secret`); an empty field then keeps it. */
  readonly isStored?: (path: string) => boolean
  /** The control for templates, if the values can be templates. Each field can then be entered as one. */
  readonly renderTemplate?: (control: TemplateControl) => ReactNode
  /** The server's reason for rejecting a field, by the path of the field. */
  readonly errorOf?: (path: string) => string | undefined
  /** The path of the surrounding fields, with a trailing slash. */
  readonly path?: string
}

export interface TemplateControl {
  readonly label: string
  readonly optional: boolean
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: string
  readonly error?: string | undefined
  readonly placeholder?: string
  readonly rows?: number
  readonly aside?: ReactNode
}

/** The controls of a form defined by a connector. Empty fields are left out of the values. */
export function SchemaForm({ fields, values, onChange, path = '', ...rest }: SchemaFormProps) {
  return fields.map((field) => (
    <SchemaControl
      key={field.name}
      {...rest}
      field={field}
      value={values[field.name]}
      path={`${path}${field.name}`}
      onChange={(value) => onChange(withValue(values, field.name, value))}
    />
  ))
}

function withValue(
  values: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  const { [name]: _before, ...others } = values
  return isEmpty(value) ? others : { ...values, [name]: value }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '') return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

interface SchemaControlProps {
  readonly field: SchemaField
  readonly connector: Pick<Connector, 'built_in'> | undefined
  readonly value: unknown
  readonly path: string
  readonly onChange: (value: unknown) => void
  readonly isStored?: (path: string) => boolean
  readonly errorOf?: (path: string) => string | undefined
  readonly renderTemplate?: (control: TemplateControl) => ReactNode
}

/** One field of a form: the control of its type, or a template instead. */
export function SchemaControl(props: SchemaControlProps) {
  const { value, path, onChange, isStored, errorOf, renderTemplate } = props
  const field = inLanguage(props.field, props.connector)
  const { label, help, required, type } = field
  const [wantsTemplate, setWantsTemplate] = useState(false)
  const lookupPlace = useLookupPlace()
  const isStoredSecret = field.secret && isStored?.(path) === true
  const hint = isStoredSecret ? t('Stored encrypted. Leave empty to keep it.') : help
  const described = hint === '' ? {} : { hint }
  const error = errorOf?.(path)

  const isTyped = TYPED.has(type)
  const asTemplate = isTyped || wantsTemplate || !fits(field, value)
  const toggle =
    renderTemplate === undefined || isTyped ? null : (
      <IconButton
        small
        icon={Braces}
        aria-pressed={asTemplate}
        label={t('Enter {{label}} as a template', { label })}
        onClick={() => {
          setWantsTemplate(!asTemplate)
          if (!fits(field, value)) onChange(undefined)
        }}
      />
    )

  if (renderTemplate !== undefined && asTemplate)
    return renderTemplate({
      label,
      ...described,
      error,
      optional: !required,
      placeholder: field.placeholder,
      value: textOf(value),
      onChange: (text) => onChange(type === 'number' ? numberOr(text) : text),
      ...(type === 'textarea' ? { rows: 4 } : {}),
      aside: toggle,
    })
  if (type === 'switch')
    return (
      <div className="flex items-start justify-between gap-2">
        <Switch label={label} checked={value === true} onChange={onChange} {...described} />
        {toggle}
      </div>
    )
  if (type === 'lookup' && lookupPlace !== null)
    return (
      <Field label={label} optional={!required} error={error} aside={toggle} {...described}>
        <LookupControl field={field} path={path} place={lookupPlace} value={value} onChange={onChange} />
      </Field>
    )
  if (type === 'nested_object' || type === 'daterange' || field.multiple)
    return (
      <fieldset className="relative flex min-w-0 flex-col gap-3 rounded border border-line p-3">
        <legend className="px-1 font-medium">
          {label}
          {required ? null : <Optional />}
        </legend>
        {toggle === null ? null : <div className="absolute -top-3.5 right-2 bg-surface px-1">{toggle}</div>}
        {hint === '' ? null : <p className="text-muted">{hint}</p>}
        {error === undefined ? null : <p className="text-error">{error}</p>}
        {type === 'nested_object' ? (
          <SchemaForm
            {...props}
            fields={field.fields}
            values={dictionaryOf(value)}
            path={`${path}/`}
            onChange={onChange}
          />
        ) : type === 'daterange' ? (
          <DateRange value={dictionaryOf(value)} onChange={onChange} />
        ) : (
          <ManyChoices field={field} value={value} onChange={onChange} />
        )}
      </fieldset>
    )
  return (
    <Field label={label} optional={!required} error={error} aside={toggle} {...described}>
      <SingleControl field={field} text={textOf(value)} isStored={isStoredSecret} onChange={onChange} />
    </Field>
  )
}

/** The connector's own label, in the language of the page; nested fields are translated when they are shown. */
function inLanguage(field: SchemaField, connector: SchemaControlProps['connector']): SchemaField {
  const inIt = (text: string) => translateConnectorText(text, connector)
  return {
    ...field,
    label: inIt(field.label),
    help: inIt(field.help),
    placeholder: inIt(field.placeholder),
    options: field.options.map((option) => ({ ...option, label: inIt(option.label) })),
  }
}

/** Free text fields: a template needs no separate control there. */
const TYPED: ReadonlySet<SchemaField['type']> = new Set(['text', 'textarea', 'email', 'password', 'number'])

/** Whether the control of its type can show the value; it can't show a template. */
function fits({ type, multiple, options, allowCreate }: SchemaField, value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (isTemplate(value)) return false
  switch (type) {
    case 'switch':
      return typeof value === 'boolean'
    case 'select':
      if (multiple) return Array.isArray(value) && value.every((one) => !isTemplate(one))
      return allowCreate || options.some((option) => option.value === textOf(value))
    case 'lookup':
      if (multiple) return Array.isArray(value) && value.every((one) => !isTemplate(one))
      return typeof value === 'string' || typeof value === 'number'
    case 'nested_object':
      return typeof value === 'object' && !Array.isArray(value)
    case 'daterange':
      return typeof value === 'object' && !Object.values(value).some(isTemplate)
    default:
      return typeof value === 'string'
  }
}

function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && /\{[{%]/.test(value)
}

function numberOr(text: string): unknown {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

function dictionaryOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

interface DateRangeProps {
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
}

/** Two days, `{ from, to }`; either can be empty. */
function DateRange({ value, onChange }: DateRangeProps) {
  const dayOf = (end: 'from' | 'to') => (typeof value[end] === 'string' ? value[end] : '')
  function change(end: 'from' | 'to', day: string) {
    const { [end]: _before, ...other } = value
    onChange(day === '' ? other : { ...other, [end]: day })
  }
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field label={t('From')}>
        <TextInput
          type="date"
          value={dayOf('from')}
          max={dayOf('to')}
          onChange={(day) => change('from', day)}
        />
      </Field>
      <Field label={t('To')}>
        <TextInput
          type="date"
          value={dayOf('to')}
          min={dayOf('from')}
          onChange={(day) => change('to', day)}
        />
      </Field>
    </div>
  )
}
