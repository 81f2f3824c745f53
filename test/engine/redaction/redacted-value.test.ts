import { expect, test } from 'vitest'
import type { Data } from '../../../packages/jinja/src/data/value.ts'
import { redactAndTruncate } from '../../../src/main/engine/redaction/redacted-value.ts'
import { createRedactor } from '../../../src/main/engine/redaction/redactor.ts'

const SECRET = 'sk_live_51H8abcXYZ'
const redactor = createRedactor({ secrets: [SECRET], names: ['password'] })
const show = (value: Data) => redactAndTruncate(value, redactor)

test('a small value is shown completely, without its secrets', () => {
  expect(show({ a: [SECRET, 1n], password: 'p' })).toEqual({
    value: { a: ['***', 1n], password: '***' },
    isCut: false,
  })
})

test('a long string is cut, with no part of a secret at the cut', () => {
  const { value, isCut } = show(`${'x'.repeat(65_520)}${SECRET}${'y'.repeat(100_000)}`)
  expect({ isCut, value: (value as string).slice(65_510) }).toEqual({
    isCut: true,
    value: `${'x'.repeat(10)}***yyyyy…`,
  })
})

test('the beginning of lists and objects is shown, with secrets hidden by key', () => {
  const long = 'x'.repeat(200)
  const list = show(Array.from({ length: 2_000 }, () => long))
  expect({ isCut: list.isCut, entries: (list.value as string[]).length }).toEqual({
    isCut: true,
    entries: 1_000,
  })
  const shown = show({ password: long.repeat(1_000), [`k${long.repeat(10)}`]: 1, rest: 'y'.repeat(200_000) })
  expect(shown).toEqual({
    isCut: true,
    value: {
      password: '***',
      [`k${long.repeat(10).slice(0, 999)}…`]: 1,
      rest: expect.stringMatching(/^y+…$/),
    },
  })
})
