/**
 * The fields of a body, from its JSON Schema: one row each; those of objects and lists come below the row of their
 * field.
 */
import { schemaName, type JsonSchema, type NamedSchemas } from '../../../shared/contract/base/json-schema.ts'
import { t } from '../../lib/i18n.ts'

export interface BodyField {
  /** `access.visibility`, `steps[].ref_id` */
  readonly name: string
  /** In JSON terms: `string`, `integer or null`, `array of string`. */
  readonly type: string
  readonly required: boolean
  /** Its purpose and the allowed values. */
  readonly text: string
}

/** @param schemas those that a `$ref` can name */
export function bodyFields(schema: JsonSchema, schemas: NamedSchemas): readonly BodyField[] {
  return fieldsBelow(schema, '', { schemas, open: [] })
}

interface Way {
  readonly schemas: NamedSchemas
  /** The references followed so far, because steps contain steps, whose rows must not be repeated. */
  readonly open: readonly string[]
}

function fieldsBelow(schema: JsonSchema, prefix: string, way: Way): BodyField[] {
  const objects = branchesOf(schema, way).filter((branch) => branch.schema.properties)
  const inside = { ...way, open: [...new Set(objects.flatMap((object) => object.way.open))] }
  const keys = new Set(objects.flatMap((object) => Object.keys(object.schema.properties ?? {})))
  return [...keys].flatMap((key) => {
    const kinds = objects.flatMap((object) => object.schema.properties?.[key] ?? [])
    if (kinds.some(({ readOnly }) => readOnly)) return []
    const name = `${prefix}${key}`
    const kind = kinds.length === 1 ? kinds[0]! : { anyOf: kinds }
    // A field of alternative bodies is required only if all of them require it.
    const required = objects.every((object) => object.schema.required?.includes(key))
    const field = { name, type: typeOf(kind), required, text: textOf(kind, inside) }
    return [field, ...fieldsBelow(kind, `${name}.`, inside), ...fieldsOfEntries(kind, name, inside)]
  })
}

function fieldsOfEntries(schema: JsonSchema, name: string, way: Way): BodyField[] {
  return branchesOf(schema, way).flatMap(({ schema: { items }, way: inside }) =>
    items === undefined ? [] : fieldsBelow(items, `${name}[].`, inside),
  )
}

interface Branch {
  readonly schema: JsonSchema
  readonly way: Way
}

/** The resolved schema, with references and unions followed, except a reference that is already open. */
function branchesOf(schema: JsonSchema, way: Way): Branch[] {
  const { $ref } = schema
  if ($ref !== undefined) {
    const referred = way.schemas[schemaName($ref)]
    if (referred === undefined || way.open.includes($ref)) return []
    return branchesOf(referred, { ...way, open: [...way.open, $ref] })
  }
  const parts = schema.anyOf ?? schema.oneOf
  return parts ? parts.flatMap((part) => branchesOf(part, way)) : [{ schema, way }]
}

function typeOf(schema: JsonSchema): string {
  const { $ref, items, type } = schema
  if ($ref !== undefined) return schemaName($ref)
  const parts = schema.anyOf ?? schema.oneOf
  if (parts) return [...new Set(parts.map((part) => typeOf(part)))].join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (type === 'array') return items && Object.keys(items).length > 0 ? `array of ${typeOf(items)}` : 'array'
  return type === undefined ? 'any' : [type].flat().join(' or ')
}

function textOf(schema: JsonSchema, way: Way): string {
  const said = [schema, ...branchesOf(schema, way).map((branch) => branch.schema)]
  const sentences = [
    ...new Set(
      said.flatMap((part) => [part.description, valuesOf(part, said)]).filter((text) => text !== undefined),
    ),
  ]
  const fallback = schema.default
  const hasDefault = fallback !== undefined && fallback !== '' && JSON.stringify(fallback) !== '[]'
  const parts = [
    ...sentences.filter((text) => !sentences.some((other) => other !== text && other.includes(text))),
    ...(hasDefault ? [t('default {{value}}', { value: JSON.stringify(fallback) })] : []),
  ]
  return parts.map((part, at) => (at < parts.length - 1 ? part.replace(/\.$/, '') : part)).join('; ')
}

function valuesOf(
  { enum: values, minimum, maximum, maxLength, maxItems }: JsonSchema,
  said: readonly JsonSchema[],
): string | undefined {
  if (values) {
    const isNamed = (value: unknown) =>
      said.some(({ description }) => description?.includes(`\`${String(value)}\``))
    return values.every(isNamed) ? undefined : values.map(String).join(', ')
  }
  if (maxLength !== undefined) return t('at most {{max}} characters', { max: maxLength })
  if (maxItems !== undefined) return t('at most {{max}} items', { max: maxItems })
  if (minimum === undefined) return undefined
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? t('{{minimum}} or more', { minimum })
    : t('{{minimum}} to {{maximum}}', { minimum, maximum })
}
