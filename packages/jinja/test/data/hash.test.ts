import { expect, test } from 'vitest'
import { hashData, identityOf } from '../../src/data/hash.ts'
import { parseJson } from '../../src/data/json.ts'

test('equal values have equal hashes, whatever the representation of their objects', () => {
  for (const text of [
    '[{"id":1,"a":[null,true]}]',
    '{"10":1,"2":2}',
    '[9007199254740993,1.0,-0.5]',
    '"😀"',
    `"${'x'.repeat(1000)}"`,
  ]) {
    expect(hashData(parseJson(text))).toBe(hashData(parseJson(` ${text}`)))
  }
  expect(hashData(new Map([['a', 1]]))).toBe(hashData({ a: 1 }))
})

test('different values have different hashes', () => {
  const texts = [
    'null',
    'true',
    'false',
    '0',
    '1',
    '1.0',
    '1.5',
    '-1',
    '9007199254740993',
    '"1"',
    '""',
    '"a"',
    '"b"',
    '"ab"',
    '"ba"',
    '[]',
    '{}',
    '[[]]',
    '[{}]',
    '{"a":1}',
    '{"b":1}',
    '{"a":{}}',
    '{"a":[]}',
    '["a","b"]',
    '["ab"]',
    '["a",["b"]]',
    '[["a"],"b"]',
    '[1,2]',
    '[2,1]',
    '[12]',
    '[1,[2]]',
    '{"a":1,"b":2}',
    '{"a":2,"b":1}',
    '{"ab":1}',
    '[0]',
    '[0,0]',
    '[null]',
    '[false]',
    '[""]',
    '["",""]',
    `"${'x'.repeat(300)}"`,
    `"${'x'.repeat(301)}"`,
    `"${'x'.repeat(299)}y"`,
    '"\\u0000"',
    '"\\u0000\\u0000"',
    '4294967296',
    '[{"a":1},{"a":2}]',
    '[{"a":2},{"a":1}]',
  ]
  expect(new Set(texts.map((text) => hashData(parseJson(text)))).size).toBe(texts.length)
})

test('a hundred thousand similar records have as many different hashes', () => {
  const hashes = new Set<string>()
  for (let id = 0; id < 100_000; id++) hashes.add(hashData([{ id, name: 'n', on: id % 2 === 0 }]))
  expect(hashes.size).toBe(100_000)
})

test('strings that are built to have the same hash keep their own identity', () => {
  const [one, other] = [' Qab', ' *a\u3629']
  expect(hashData(one)).toBe(hashData(other))
  expect(identityOf(one)).not.toBe(identityOf(other))
})

test('an identity is short, and tells values from strings that look like them', () => {
  const long = 'x'.repeat(1000)
  const values = [
    '1',
    1,
    '1.0',
    null,
    'null',
    '',
    '€',
    '\ud800',
    '\ud801',
    'ÿ',
    long,
    `${long}x`,
    [long],
    identityOf(long),
  ]
  const identities = values.map((value) => identityOf(value))
  expect(new Set(identities).size).toBe(values.length)
  expect(Math.max(...identities.map(({ length }) => length))).toBeLessThanOrEqual(34)
  expect(identityOf(parseJson('1.0'))).not.toBe(identityOf(1))
})
