/** The part of JSON Schema that zod generates for the API description and that this program reads. */
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

/** Schemas that a `$ref` can refer to. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>

/** The name in `#/components/schemas/Flow` is `Flow`. */
export function schemaName(reference: string): string {
  return reference.split('/').at(-1) ?? ''
}
