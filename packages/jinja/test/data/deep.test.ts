import { expect, it } from 'vitest'
import { cloneData, equalData, estimateBytes } from '../../src/data/deep.ts'
import { parseJson } from '../../src/data/json.ts'
import { type Data, dictionaryOf, Float, getKey } from '../../src/data/value.ts'

it('compares by meaning: numbers by value, lists in order, objects by key', () => {
  const equal: [Data, Data][] = [
    [1, new Float(1)],
    [1n, 1],
    [9007199254740993n, 9007199254740993n],
    [
      [1, [2]],
      [new Float(1), [2n]],
    ],
    [parseJson('{"a":1,"b":{"2":1,"1":2}}'), parseJson('{"b":{"1":2,"2":1},"a":1.0}')],
    [Number.NaN, Number.NaN],
    ['a', 'a'],
  ]
  const different: [Data, Data][] = [
    [1, '1'],
    [1, true],
    [null, 0],
    [null, {}],
    [[], {}],
    [9007199254740993n, 9007199254740992],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ toString: null }, { a: null }],
    [parseJson('{"constructor":1}'), parseJson('{"a":1}')],
  ]
  expect(equal.map(([a, b]) => [equalData(a, b), equalData(b, a)])).toEqual(equal.map(() => [true, true]))
  expect(different.map(([a, b]) => [equalData(a, b), equalData(b, a)])).toEqual(
    different.map(() => [false, false]),
  )
})

it('copies without sharing', () => {
  const original = parseJson('{"a":[1,{"b":2}],"m":{"2":1.0,"1":[]},"n":9007199254740993}') as {
    a: Data[]
  }
  const copy = cloneData(original) as { a: Data[] }
  expect(copy).toEqual(original)
  copy.a.push('more')
  expect(original.a).toHaveLength(2)
  expect(Object.getPrototypeOf(copy)).toBe(null)
})

it('estimates the size and stops early', () => {
  expect(estimateBytes('x'.repeat(1000))).toBeGreaterThan(1000)
  const many = Array.from({ length: 1000 }, () => 'x'.repeat(1000))
  expect(estimateBytes(many)).toBeGreaterThan(1_000_000)
  expect(estimateBytes(many, 10_000)).toBeLessThan(20_000)
})

it('builds objects that keep order, drop __proto__ and only read own keys', () => {
  const plain = dictionaryOf([
    ['b', 1],
    ['__proto__', 2],
    ['a', 3],
    ['b', 4],
  ])
  expect(plain).not.toBeInstanceOf(Map)
  expect(Object.entries(plain)).toEqual([
    ['b', 4],
    ['a', 3],
  ])
  expect(
    dictionaryOf([
      ['b', 1],
      ['1', 2],
    ]),
  ).toEqual(
    new Map([
      ['b', 1],
      ['1', 2],
    ]),
  )
  expect([getKey(plain, 'a'), getKey(plain, 'toString'), getKey({ a: 1 }, 'constructor')]).toEqual([
    3,
    undefined,
    undefined,
  ])
})
