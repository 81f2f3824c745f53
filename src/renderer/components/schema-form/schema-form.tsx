import type { ReactNode } from 'react'
import type { SchemaField } from '../../lib/schema-fields.ts'
import { SchemaControl } from './schema-control.tsx'

interface SchemaFormProps {
  readonly fields: readonly SchemaField[]
  readonly values: Readonly<Record<string, unknown>>
  readonly onChange: (values: Record<string, unknown>) => void
  /** Whether a secret is stored under that path (`oauth/client_secret`); an empty field then keeps it. */
  readonly isStored?: (path: string) => boolean
  /** Where the values may be templates: the control of one. Each field can then be entered as a template. */
  readonly renderTemplate?: (control: TemplateControl) => ReactNode
  /** What a program refused, by the path of the field. */
  readonly errorOf?: (path: string) => string | undefined
  /** Of the fields around, with a slash at its end. */
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

/** The controls of a form that a connector describes. What is empty is left out of the values. */
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
