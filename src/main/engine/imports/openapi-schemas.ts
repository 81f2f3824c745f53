import { childOf, isRecord, type Plain } from './plain.ts'
import type { References } from './openapi-references.ts'

/** The types by which values are serialized. `any` means that the type is only known at run time. */
export type Kind = 'text' | 'number' | 'boolean' | 'array' | 'object' | 'file' | 'any'

export interface Property {
  readonly schema: Plain
  readonly required: boolean
}

export type Properties = ReadonlyMap<string, Property>

export type Schemas = ReturnType<typeof createSchemas>

/**
 * Reads each schema once, however many others include it. A small document can expand to an enormous one, so after a
 * certain number of properties, further schemas get none, and `onLimit` is called.
 */
export function createSchemas(references: References, onLimit: () => void) {
  const properties = new Map<Plain, Properties>()
  const kinds = new Map<Plain, Kind>()
  let visits = 0

  /** The properties that a request can have: those of all parts, and those of every variant as optional ones. */
  function propertiesOf(value: unknown): Properties {
    const schema = references.resolve(value)
    const known = properties.get(schema)
    if (known !== undefined) return known
    properties.set(schema, NONE) // a circular reference adds nothing
    const found = new Map<string, Property>()
    const add = (name: string, property: Property) => {
      visits += 1
      if (visits > MOST_VISITS) return
      const before = found.get(name)
      found.set(name, before === undefined ? property : merged(before, property))
    }
    for (const part of listOf(schema, 'allOf'))
      for (const [name, property] of propertiesOf(part)) add(name, property)
    for (const part of [...listOf(schema, 'oneOf'), ...listOf(schema, 'anyOf')])
      for (const [name, property] of propertiesOf(part)) add(name, { ...property, required: false })
    for (const [name, property] of Object.entries(childOf(schema, 'properties')))
      if (name !== '__proto__') add(name, { schema: isRecord(property) ? property : {}, required: false })
    for (const name of listOf(schema, 'required')) {
      const property = typeof name === 'string' ? found.get(name) : undefined
      if (property !== undefined) found.set(name as string, { ...property, required: true })
    }
    for (const [name, { schema: own }] of found)
      if (references.resolve(own)['readOnly'] === true || own['readOnly'] === true) found.delete(name)
    if (visits > MOST_VISITS) onLimit()
    properties.set(schema, found)
    return found
  }

  function kindOf(value: unknown): Kind {
    const schema = references.resolve(value)
    const known = kinds.get(schema)
    if (known !== undefined) return known
    kinds.set(schema, 'any') // a circular reference has no type
    const kind = readKind(schema)
    kinds.set(schema, kind)
    return kind
  }

  function readKind(schema: Plain): Kind {
    const types = typesOf(schema)
    if (schema['format'] === 'binary' || schema['type'] === 'file') return 'file'
    if (types.length === 1) {
      const [type = ''] = types
      if (type === 'string' && isFileType(schema)) return 'file'
      return KINDS.get(type) ?? 'any'
    }
    if (types.length > 1) return 'any'
    if (schema['properties'] !== undefined || schema['additionalProperties'] !== undefined) return 'object'
    if (schema['items'] !== undefined) return 'array'
    const values = [...listOf(schema, 'enum'), ...('const' in schema ? [schema['const']] : [])]
    if (values.length > 0) return agreed(values.filter((one) => one !== null).map(kindOfValue))
    const all = listOf(schema, 'allOf').map(kindOf)
    if (all.length > 0) return agreed(all.filter((kind) => kind !== 'any'))
    const variants = [...listOf(schema, 'oneOf'), ...listOf(schema, 'anyOf')]
    return agreed(variants.filter((one) => references.resolve(one)['type'] !== 'null').map(kindOf))
  }

  return { references, propertiesOf, kindOf }
}

const MOST_VISITS = 500_000
const NONE: Properties = new Map()
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['string', 'text'],
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['array', 'array'],
  ['object', 'object'],
])

/** The types of a schema without `null`, which is always allowed. */
export function typesOf(schema: Plain): string[] {
  return [schema['type']].flat().filter((type): type is string => typeof type === 'string' && type !== 'null')
}

export function listOf(value: Plain, key: string): readonly unknown[] {
  const list = value[key]
  return Array.isArray(list) ? list : []
}

/** OpenAPI 3.1's replacement for the `format: binary` of 3.0. */
function isFileType(schema: Plain): boolean {
  const type = schema['contentMediaType']
  return typeof type === 'string' && schema['contentEncoding'] === undefined && !/^text\/|json\b/.test(type)
}

function agreed(kinds: readonly Kind[]): Kind {
  const [first = 'any'] = kinds
  return kinds.every((kind) => kind === first) ? first : 'any'
}

function kindOfValue(value: unknown): Kind {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return Array.isArray(value) ? 'array' : 'object'
}

/** If both variants have options, the values of both are offered. */
function merged(before: Property, after: Property): Property {
  const required = before.required || after.required
  const [one, other] = [before.schema['enum'], after.schema['enum']]
  if (Array.isArray(one) && Array.isArray(other))
    return { schema: { ...after.schema, enum: [...new Set<unknown>([...one, ...other])] }, required }
  if (Array.isArray(one) || Array.isArray(other)) {
    const { enum: _, ...open } = Array.isArray(one) ? before.schema : after.schema
    return { schema: open, required }
  }
  return { schema: after.schema, required }
}
