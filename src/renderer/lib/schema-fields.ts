/**
 * The fields described by a connector's `auth_form` or an action's `ui_form_schema`, parsed with care, because they
 * come from outside.
 */
export const SCHEMA_FIELD_TYPES = [
  'text',
  'textarea',
  'number',
  'email',
  'password',
  'select',
  'switch',
  'date',
  'datetime',
  'daterange',
  'nested_object',
  'lookup',
] as const
export type SchemaFieldType = (typeof SCHEMA_FIELD_TYPES)[number]

export interface SchemaField {
  readonly name: string
  readonly label: string
  readonly type: SchemaFieldType
  readonly required: boolean
  readonly help: string
  readonly placeholder: string
  /** Hidden while it is typed, and never sent back: a password, or a string marked `secret`. */
  readonly secret: boolean
  readonly options: readonly SchemaOption[]
  readonly multiple: boolean
  /** URLs of a record, with `{id}` for its ID: those of a `lookup`. */
  readonly urls: readonly string[]
  /** Whether a choice that isn't among the options can be typed. */
  readonly allowCreate: boolean
  /** The fields of a nested object. */
  readonly fields: readonly SchemaField[]
}

export interface SchemaOption {
  readonly value: string
  readonly label: string
  /** The value as defined in the form: a number is sent as a number. */
  readonly sent: string | number
}

/** The fields of a form for credentials: some names are secrets there, whatever the form says. */
export function readAuthFields(schema: unknown): readonly SchemaField[] {
  return readSchemaFields(schema).map(function withSecrets(field): SchemaField {
    const secret = field.secret || SECRET_NAMES.has(field.name)
    return { ...field, secret, fields: field.fields.map(withSecrets) }
  })
}

const MOST_NESTED = 5

/** Fields without a name are left out; an unknown type is a string. */
export function readSchemaFields(schema: unknown, depth = 0): readonly SchemaField[] {
  if (!Array.isArray(schema) || depth > MOST_NESTED) return []
  return schema.flatMap((entry: unknown): SchemaField[] => {
    if (typeof entry !== 'object' || entry === null) return []
    const { name, label, required, help, placeholder, options, fields, ...rest } = entry as Record<
      string,
      unknown
    >
    if (typeof name !== 'string' || name === '') return []
    const type = typeOf(rest['type'])
    return [
      {
        name,
        label: textOf(label) || name,
        type,
        required: required === true,
        help: textOf(help),
        placeholder: textOf(placeholder),
        secret: type === 'password' || rest['secret'] === true,
        options: Array.isArray(options) ? options.flatMap(readOption) : [],
        urls: urlsOf(rest['lookup']),
        multiple: rest['multiple'] === true,
        allowCreate: rest['allowCreate'] === true || rest['allow_create'] === true,
        fields: readSchemaFields(fields ?? rest['schema'], depth + 1),
      },
    ]
  })
}

/** Names of the fields that the server stores as secrets, whatever the form says. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'client_secret',
  'secret',
  'key',
  'private_key',
  'passphrase',
])

const OTHER_WORDS: Readonly<Record<string, SchemaFieldType>> = {
  boolean: 'switch',
  object: 'nested_object',
  json: 'textarea',
}

function typeOf(type: unknown): SchemaFieldType {
  const word = textOf(type)
  return SCHEMA_FIELD_TYPES.find((known) => known === word) ?? OTHER_WORDS[word] ?? 'text'
}

function urlsOf(lookup: unknown): readonly string[] {
  if (typeof lookup !== 'object' || lookup === null) return []
  return [(lookup as Record<string, unknown>)['url']].flat().filter((url) => typeof url === 'string')
}

function readOption(option: unknown): SchemaField['options'] {
  if (typeof option === 'string' || typeof option === 'number')
    return [{ value: String(option), label: String(option), sent: option }]
  if (typeof option !== 'object' || option === null) return []
  const { value, label } = option as Record<string, unknown>
  return typeof value === 'string' || typeof value === 'number'
    ? [{ value: String(value), label: textOf(label) || String(value), sent: value }]
    : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
