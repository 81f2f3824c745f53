import { expect, test } from 'vitest'
import { isSame } from '../../../../../src/renderer/features/flows/model/draft.ts'

test('a draft is compared by its values: the order of keys and absent keys make no difference', () => {
  const pairs: readonly [unknown, unknown, boolean][] = [
    [{ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: undefined }, { b: 1 }, false],
    [{ a: null }, {}, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[], {}, false],
    [null, {}, false],
    ['1', 1, false],
    [12345678901234567890n, 12345678901234567890n, true],
    [5n, '5n', false],
  ]
  expect(pairs.map(([a, b]) => [a, b, isSame(a, b), isSame(b, a)])).toEqual(
    pairs.map(([a, b, same]) => [a, b, same, same]),
  )
})
