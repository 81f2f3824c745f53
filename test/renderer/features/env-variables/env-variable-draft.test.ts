import { expect, test } from 'vitest'
import type { EnvVariable } from '../../../../src/shared/contract/env-variables.ts'
import { toBody, toDraft } from '../../../../src/renderer/features/env-variables/env-variable-draft.ts'

const stored: EnvVariable = {
  id: '1',
  name: 'shop',
  type: 'object',
  value: { limit: 3 },
  secret: false,
  state: 'ok',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
}

test('each type is entered as text and sent as its value; a value of another type is rejected with a sentence', () => {
  const draft = { name: 'x', secret: false }
  expect(
    (
      [
        ['text', '5'],
        ['number', '9007199254740993'],
        ['number', 'five'],
        ['list', '["a"]'],
        ['list', '{}'],
        ['object', '{"a": 1}'],
        ['object', '[]'],
      ] as const
    ).map(([type, text]) => {
      const body = toBody({ ...draft, type, text })
      return 'problem' in body ? body.problem : body.value
    }),
  ).toEqual([
    '5',
    9007199254740993n,
    'Enter a number, for example 12 or 0.5.',
    ['a'],
    'Enter a JSON list, for example ["a", "b"].',
    { a: 1 },
    'Enter a JSON object, for example {"key": "value"}.',
  ])
})

test("what was read is sent back unchanged, and a secret that wasn't entered stays", () => {
  expect(toBody(toDraft(stored))).toEqual({
    name: 'shop',
    type: 'object',
    secret: false,
    value: { limit: 3 },
  })
  const secret = toDraft({ ...stored, secret: true, value: null })
  expect(toBody(secret)).toEqual({ name: 'shop', type: 'object', secret: true, value: null })
})
