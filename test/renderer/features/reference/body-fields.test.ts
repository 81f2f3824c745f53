import { expect, test } from 'vitest'
import { bodyFields } from '../../../../src/renderer/features/reference/body-fields.ts'
import type { JsonSchema, NamedSchemas } from '../../../../src/shared/contract/base/json-schema.ts'

const rowsOf = (schema: JsonSchema, schemas: NamedSchemas = {}) =>
  bodyFields(schema, schemas).map(({ name, type, required, text }) =>
    [name, type, required ? 'required' : '', text].join(' | '),
  )

test('each field has a row with its type, whether it is required and which values it takes', () => {
  const schema: JsonSchema = {
    type: 'object',
    required: ['name', 'expiration'],
    properties: {
      name: { type: 'string', maxLength: 200 },
      expiration: {
        anyOf: [
          { type: 'integer', minimum: 1, maximum: 36_500, description: 'Days until expiry' },
          { type: 'null' },
        ],
      },
      status: { enum: ['draft', 'active'], type: 'string', default: 'draft' },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 50, default: [] },
      value: {},
      port: { type: 'integer', minimum: 0, maximum: 65_535, description: 'Port, 0 to 65535' },
      note: { type: 'string', maxLength: 20, description: 'Shown in lists.' },
      kind: { enum: ['a', 'b'], type: 'string', description: '`a` first, or `b`.' },
      id: { readOnly: true },
    },
  }
  expect(rowsOf(schema)).toEqual([
    'name | string | required | at most 200 characters',
    'expiration | integer or null | required | Days until expiry; 1 to 36500',
    'status | string |  | draft, active; default "draft"',
    'tags | array of string |  | at most 50 items',
    'value | any |  | ',
    'port | integer |  | Port, 0 to 65535',
    'note | string |  | Shown in lists; at most 20 characters',
    'kind | string |  | `a` first, or `b`.',
  ])
})

test('fields of objects and of items are listed below them, those of a step only once', () => {
  const step: JsonSchema = {
    type: 'object',
    required: ['ref_id'],
    properties: {
      ref_id: { type: 'string' },
      steps: { type: 'array', items: { $ref: '#/components/schemas/Step' } },
    },
  }
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      access: { type: 'object', required: ['visibility'], properties: { visibility: { type: 'string' } } },
      steps: { type: 'array', items: { $ref: '#/components/schemas/Step' } },
    },
  }
  expect(rowsOf(schema, { Step: step })).toEqual([
    'access | object |  | ',
    'access.visibility | string | required | ',
    'steps | array of Step |  | ',
    'steps[].ref_id | string | required | ',
    'steps[].steps | array of Step |  | ',
  ])
})

test('a field of a body with alternatives is required if all alternatives require it', () => {
  const all = { max_pages: { type: 'integer', minimum: 1 } }
  const schema: JsonSchema = {
    anyOf: [
      {
        type: 'object',
        required: ['id', 'kind'],
        properties: { ...all, id: { type: 'string' }, kind: { const: 'a' } },
      },
      {
        type: 'object',
        required: ['url', 'kind'],
        properties: { ...all, url: { type: 'string' }, kind: { const: 'b' } },
      },
    ],
  }
  expect(rowsOf(schema)).toEqual([
    'max_pages | integer |  | 1 or more',
    'id | string |  | ',
    'kind | "a" or "b" | required | ',
    'url | string |  | ',
  ])
})
