/** The fields of a step's result that are known before the step has run, from its type and its configuration. */
import { z } from 'zod'
import { definitionOf } from '../../../../shared/contract/step-types/index.ts'
import { partOf, type Plugins, type TypedConfig } from '../../../components/plugins/plugin-parts.ts'

/** Keyed by name. The value is the Python name of the field's type, or null if only a run can tell. */
export type DeclaredFields = Readonly<Record<string, string | null>>

/**
 * Keyed by configuration, which stays the same object while other steps are edited, because a flow may have hundreds.
 */
const KNOWN = new WeakMap<
  object,
  { readonly type: string; readonly plugins: Plugins; readonly fields: DeclaredFields }
>()

/** Empty if the result has no fields, or they aren't known. */
export function declaredFields(step: TypedConfig, plugins: Plugins): DeclaredFields {
  const known = KNOWN.get(step.config)
  if (known?.type === step.type && known.plugins === plugins) return known.fields
  const fields = readFields(step, plugins)
  KNOWN.set(step.config, { type: step.type, plugins, fields })
  return fields
}

function readFields(step: TypedConfig, plugins: Plugins): DeclaredFields {
  const { type, config } = step
  const named = partOf(step, plugins)
  if (named !== undefined)
    return config.runs === 'together' ? { entries: 'list' } : fieldsOfSchema(named.part.result)
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

/** The fields that a JSON Schema names. */
function fieldsOfSchema({ properties }: Readonly<Record<string, unknown>>): DeclaredFields {
  const read = z.record(z.string(), z.unknown()).safeParse(properties)
  return Object.fromEntries(
    Object.entries(read.data ?? {}).map(([name, schema]) => {
      const [type, ...others] = TYPE.safeParse(schema).data?.type.filter((one) => one !== 'null') ?? []
      return [name, others.length === 0 ? (PYTHON_NAMES[type ?? ''] ?? null) : null]
    }),
  )
}

const TYPE = z.object({ type: z.union([z.string().transform((one) => [one]), z.array(z.string())]) })
const PYTHON_NAMES: Readonly<Record<string, string>> = {
  string: 'str',
  boolean: 'bool',
  integer: 'int',
  number: 'float',
  array: 'list',
  object: 'dict',
}
