/** JSON Schema as the description of the API has it: what zod writes, and the parts of it that are read again. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly readOnly?: boolean
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** Schemas that a `$ref` may name. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>

/** `#/components/schemas/Flow` is called `Flow`. */
export function schemaName(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}
