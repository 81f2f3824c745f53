import { expect, test } from 'vitest'
import { declaredFields } from '../../../../../src/renderer/features/flows/model/declared-fields.ts'
import { definitionOf, STEP_TYPES } from '../../../../../src/shared/contract/step-types/index.ts'

test('the fields that every result of a type has are those of its documentation', () => {
  const declared = STEP_TYPES.map((type) => ({
    type,
    names: Object.keys(declaredFields({ type, config: {} }, null)),
    documented: String(definitionOf(type)?.result.description),
  })).filter(({ names }) => names.length > 0)
  const missing = declared.flatMap(({ type, names, documented }) =>
    names.filter((name) => !new RegExp(`\\b${name}\\b`).test(documented)).map((name) => `${type}.${name}`),
  )
  expect({ missing, many: declared.length > 10 }).toEqual({ missing: [], many: true })
})

test('fields come from the configuration where that names them', () => {
  const fieldsOf = (type: string, config: Record<string, never> | object) =>
    declaredFields({ type, config: config as Record<string, never> }, null)
  expect([
    fieldsOf('form_trigger', {
      fields: [
        { name: 'mail', type: 'email' },
        { name: 'size', type: 'number' },
      ],
    }),
    fieldsOf('set', { values: { total: '{{ 1 }}', 'first name': '' } }),
    fieldsOf('aggregate', { operations: [{ name: 'count', operation: 'count' }] }),
    fieldsOf('aggregate', { operations: [{ name: 'count', operation: 'count' }], by: 'country' }),
    fieldsOf('html_extract', { fields: { title: { selector: 'h1' } } }),
    fieldsOf('html_extract', { each: 'tr', fields: { title: { selector: 'h1' } } }),
    fieldsOf('rest', { url: 'https://api.example.test' }),
    fieldsOf('rest', { url: 'https://api.example.test', pagination: {} }),
    fieldsOf('set', { values: '{{ all }}' }),
    fieldsOf('form_trigger', { fields: 'typed by half' }),
  ]).toEqual([
    { mail: 'str', size: 'float' },
    { total: null, 'first name': null },
    { count: null },
    {},
    { title: null },
    {},
    { status: 'int', headers: 'dict', body: null },
    {},
    {},
    {},
  ])
})

test('the fields of a step that has not changed are the same object, another type or configuration gets its own', () => {
  const config = { values: { total: '{{ 1 }}' } }
  const fields = declaredFields({ type: 'set', config }, null)
  expect(declaredFields({ type: 'set', config }, null)).toBe(fields)
  expect(declaredFields({ type: 'set', config: { values: { sum: '' } } }, null)).toEqual({ sum: null })
  expect(declaredFields({ type: 'webhook', config }, null)).not.toBe(fields)
})
