/** The forms that connectors describe (`ui_form_schema`, `auth_form`), read with care: they come from outside. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'password' | 'number' | 'boolean' | 'select' | 'json'
  readonly required: boolean
  readonly help: string
  readonly placeholder: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
}

const TYPES: readonly FormField['type'][] = ['text', 'password', 'number', 'boolean', 'select', 'json']

/** Entries without a name are left out; an unknown type is a text. */
export function readFormFields(schema: readonly unknown[]): readonly FormField[] {
  return schema.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { name, label, type, required, help, placeholder, options } = entry as Record<string, unknown>
    if (typeof name !== 'string' || name === '') return []
    return [
      {
        name,
        label: text(label) || name,
        type: TYPES.find((known) => known === type) ?? 'text',
        required: required === true,
        help: text(help),
        placeholder: text(placeholder),
        options: Array.isArray(options) ? options.flatMap(readOption) : [],
      },
    ]
  })
}

function readOption(option: unknown): FormField['options'] {
  if (typeof option === 'string') return [{ value: option, label: option }]
  if (typeof option !== 'object' || option === null) return []
  const { value, label } = option as Record<string, unknown>
  return typeof value === 'string' ? [{ value, label: text(label) || value }] : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
