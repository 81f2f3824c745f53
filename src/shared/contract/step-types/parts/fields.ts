/** Schemas that several types share, and the default control for each schema. */
import { z } from 'zod'
import { jsonObject, text } from '../../base/common.ts'
import type { FieldFace, FieldKind } from './step-type.ts'

export const template = text(65_536)
/** A number, or a template that renders to one. */
export const numeric = z.union([z.number(), template])
export const flag = z.boolean()
/** The number of iterations that run at once. */
export const concurrency = z.int().min(1).max(100).optional()
/** An object whose values are templates, or one template that yields an object. */
export const dictionary = z.union([jsonObject, template])

/** The auth of a step that reads a database: its server, unless `file` names a SQLite file. */
export const databaseAuth = template
  .nullable()
  .optional()
  .describe(
    'ID of a connector auth for the SQL database connector, whose URL is `postgres://…` or `mysql://…`. Either this or `file`.',
  )

export function kindOf(schema: z.core.$ZodType, face: FieldFace<unknown>): FieldKind {
  if (face.kind !== undefined) return face.kind
  if (face.connector !== undefined) return 'auth'
  return kindOfSchema(inner(schema))
}

function kindOfSchema(schema: z.core.$ZodType): FieldKind {
  if (isTemplate(schema)) return 'template'
  if (schema instanceof z.ZodString) return 'text'
  if (schema instanceof z.ZodNumber) return 'number'
  if (schema instanceof z.ZodBoolean) return 'switch'
  if (schema instanceof z.ZodEnum) return 'choice'
  if (schema instanceof z.ZodArray) return inner(schema.element) instanceof z.ZodEnum ? 'choices' : 'json'
  if (schema instanceof z.ZodRecord) return 'record'
  if (!(schema instanceof z.ZodUnion)) return 'json'
  if (isNumeric(schema)) return 'template'
  return schema.options.some((option) => option instanceof z.ZodRecord) ? 'dictionary' : 'json'
}

/** Whether the field stores digits as a number. */
export function isNumeric(schema: z.core.$ZodType): boolean {
  const one = inner(schema)
  return one instanceof z.ZodUnion && one.options.some((option) => option instanceof z.ZodNumber)
}

/** Whether strings in the field are templates. */
export function hasTemplates(schema: z.core.$ZodType, face: FieldFace<unknown>): boolean {
  return face.plain !== true && TEMPLATES.has(kindOf(schema, face))
}

const TEMPLATES: ReadonlySet<FieldKind> = new Set(['template', 'json', 'dictionary', 'record', 'auth'])

/** Compares definitions, because descriptions make copies that share the definition. */
const isTemplate = (schema: z.core.$ZodType) => schema._zod.def === template._zod.def

/** The schema without its wrappers for optional values. */
export function inner(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? inner(schema.unwrap())
    : schema
}
