/** The fields of a step's result that are known before the step has run, from its type and its configuration. */
import { z } from 'zod'
import { definitionOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'

/** By name: the Python name of the value's type, null if only a run can tell. */
export type DeclaredFields = Readonly<Record<string, string | null>>

/** Empty if the result has no fields, or they aren't known. */
export function declaredFields({ type, config }: Pick<Step, 'type' | 'config'>): DeclaredFields {
  const definition = definitionOf(type)
  const declared = definition?.resultOf?.(config) ?? definition?.result
  const result = declared instanceof z.ZodNullable ? declared.unwrap() : declared
  if (!(result instanceof z.ZodObject)) return {}
  return Object.fromEntries(Object.entries(result.shape).map(([name, schema]) => [name, pythonName(schema)]))
}

function pythonName(schema: z.core.$ZodType): string | null {
  if (schema instanceof z.ZodString) return 'str'
  if (schema instanceof z.ZodBoolean) return 'bool'
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'int' : 'float'
  if (schema instanceof z.ZodArray) return 'list'
  return schema instanceof z.ZodRecord || schema instanceof z.ZodObject ? 'dict' : null
}
