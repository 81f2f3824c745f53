/** The fields of an action's form, and the names under which its templates read them. */
import type { Json } from '../../../shared/contract/base/common.ts'
import { inputName, titleCase } from './draft.ts'
import { childOf, isRecord, textOf, type Plain } from './plain.ts'
import { listOf, type Schemas, typesOf } from './openapi-schemas.ts'

export type FormField = Record<string, Json>

export type Inputs = ReturnType<typeof createInputs>

interface FieldAbout {
  readonly schema: unknown
  readonly required: boolean
  readonly description?: unknown
  /** Overrides the schema. */
  readonly control?: FormField
}

/** The maximum that a form can have. */
export const MOST_FIELDS = 500

export function createInputs({ references, kindOf }: Schemas) {
  const names = new Set<string>()
  const form: FormField[] = []
  return {
    form,
    /** The expression that reads the field: `input.limit`. Two parameters with the same name get two fields. */
    add(place: string, name: string, { schema: value, required, description, control }: FieldAbout): string {
      const own = inputName(name).slice(0, 150)
      let free = names.has(own) ? `${place}_${own}` : own
      for (let number = 2; names.has(free); number++) free = `${place}_${own}_${number}`
      names.add(free)
      if (form.length < MOST_FIELDS) {
        const schema = references.resolve(value)
        const help = (textOf(description) || textOf(schema['description'])).slice(0, 300)
        const initial = schema['default']
        form.push({
          name: free,
          label: (titleCase(name.replaceAll('-', ' ')) || free).slice(0, 200),
          ...(control ?? controlOf(schema, kindOf(schema), kindOf(schema['items']))),
          required,
          ...(help === '' ? {} : { help }),
          ...(initial === undefined ? {} : { default: initial as Json }),
        })
      }
      return `input.${free}`
    },
  }
}

const FILE_HELP = 'A file: {{ web1.file }}, or its file_id'

function controlOf(schema: Plain, kind: ReturnType<Schemas['kindOf']>, items: typeof kind): FormField {
  const options = optionsOf(schema)
  if (options !== null) return { type: 'select', options }
  switch (kind) {
    case 'boolean':
      return { type: 'switch' }
    case 'number':
      return { type: 'number' }
    case 'file':
      return { type: 'text', placeholder: FILE_HELP }
    case 'object':
      return { type: 'nested_object' }
    case 'array': {
      const choices = optionsOf(isRecord(schema['items']) ? schema['items'] : {})
      if (choices !== null) return { type: 'select', multiple: true, options: choices }
      return items === 'text'
        ? { type: 'select', multiple: true, allowCreate: true, options: [] }
        : { type: 'nested_object' }
    }
    default:
      return { type: FORMATS[textOf(schema['format'])] ?? 'text' }
  }
}

/** Null if not all values can be offered, because a form only has strings and numbers. */
function optionsOf(schema: Plain): Json[] | null {
  const values = listOf(schema, 'enum').filter((value) => value !== null)
  const isChoice = (value: unknown): value is string | number =>
    typeof value === 'number' ||
    (typeof value === 'string' && textOf(value) === value && value.length <= 1_000)
  if (values.length === 0 || values.length > 5_000 || !values.every(isChoice)) return null
  const isText = typesOf(schema).includes('string')
  return values.map((value) => ({ value: isText ? String(value) : value, label: String(value) }))
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'date',
  'date-time': 'datetime',
  email: 'email',
  password: 'password',
}

export const isRequired = (value: Plain): boolean => value['required'] === true

/** The media type of a parameter's value; empty if it has a schema. */
export function contentTypeOf(parameter: Plain): string {
  return Object.keys(childOf(parameter, 'content'))[0] ?? ''
}
