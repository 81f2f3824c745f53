/** Generates the JSON Schema of flow files, for editors, from the contract and its descriptions. */
import { z } from 'zod'
import { flowSource } from '../../../shared/contract/flow-files.ts'
import { definitionOf, facesOf, STEP_CONFIGS, STEP_TYPES } from '../../../shared/contract/step-types/index.ts'
import { NAMED_INSTEAD } from './normal-form.ts'
import { MARK, SCHEMA_KEY, VERSION } from './file-marks.ts'

type Schema = Record<string, unknown>

const flowFile = z.strictObject({
  [SCHEMA_KEY]: z
    .string()
    .optional()
    .describe('URL or path of this schema, for editors. Millrace ignores it.'),
  [MARK]: z.literal(VERSION).describe('Marks the file as a flow; the number is the version of the format.'),
  ...flowSource.shape,
})

export function createFlowSchema(): { $schema: string } & Schema {
  const { $defs, ...root } = toSchema(flowFile)
  const defs = { ...($defs as Record<string, Schema>) }
  const step = Object.keys(defs).find((name) => properties(defs[name])['ref_id'] !== undefined) ?? ''
  const configs = STEP_TYPES.map((type) => [`config_${type}`, configSchema(type)] as const)
  const shape = defs[step] ?? {}
  defs[step] = {
    ...shape,
    properties: {
      ...properties(shape),
      type: { ...(properties(shape)['type'] as Schema), enum: [...STEP_TYPES], maxLength: undefined },
    },
    allOf: STEP_TYPES.map((type) => ({
      if: { properties: { type: { const: type } }, required: ['type'] },
      then: { properties: { config: { $ref: `#/$defs/config_${type}` } } },
    })),
  }
  return JSON.parse(
    JSON.stringify({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'A flow of Millrace',
      ...root,
      $defs: { ...defs, ...Object.fromEntries(configs), secret: SECRET },
    }),
  ) as { $schema: string }
}

const SECRET = {
  type: 'object',
  description: 'A secret that is only stored in Millrace.',
  properties: { $secret: { type: 'string', description: 'The text around it; *** marks the secret.' } },
  required: ['$secret'],
  additionalProperties: false,
}

const toSchema = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', cycles: 'ref' })

const properties = (schema: Schema | undefined) => (schema?.['properties'] ?? {}) as Record<string, Schema>

/** Names are allowed instead of IDs, and a placeholder instead of a secret value. */
function configSchema(type: (typeof STEP_TYPES)[number]): Schema {
  const { $schema: _, ...schema } = toSchema(STEP_CONFIGS[type])
  const labels = definitionOf(type)?.fields ?? {}
  const own = Object.entries(properties(schema)).map(([name, field]): [string, Schema] => {
    const [face] = [labels[name] ?? []].flat()
    const { description, ...rest } = field
    return [name, { title: face?.label, description, anyOf: [rest, { $ref: '#/$defs/secret' }] }]
  })
  const named = NAMED_INSTEAD.filter(([id]) => facesOf(type, id).length > 0)
  const names = named.map(([id, name]): [string, Schema] => [
    name,
    { type: 'string', description: `Name of what \`${id}\` has the ID of.` },
  ])
  const ids = new Set(named.map(([id]) => id))
  const required = ((schema['required'] ?? []) as string[]).filter((name) => !ids.has(name))
  return { ...schema, properties: Object.fromEntries([...own, ...names]), required }
}
