import { expect, test } from 'vitest'
import { dictionaryOf, Float } from '../../../packages/jinja/src/data/value.ts'
import { mergeQuery, writeForm } from '../../../src/main/engine/request/query-string.ts'

const none = dictionaryOf([])

test.each([
  ['', { a: 1 }, null, '?a=1'],
  ['', { a: 1, b: 'x' }, { b: 'y', c: 2 }, '?a=1&b=y&c=2'],
  ['', { a: 1, b: 2 }, { a: null }, '?b=2'],
  ['?a=1&b=2', {}, { a: null }, '?b=2'],
  ['?a=1', {}, { a: [7, 8] }, '?a=7&a=8'],
  ['', { a: null, b: [], c: [null, 1] }, {}, '?c=1'],
  ['', { on: true, off: false }, {}, '?on=true&off=false'],
  ['', { nested: { a: [1] } }, {}, '?nested=%7B%22a%22%3A%5B1%5D%7D'],
  ['?page%5Bsize%5D=1', {}, { 'page[size]': 2 }, '?page%5Bsize%5D=2'],
  ['?a+b=1', {}, { 'a b': 2 }, '?a%20b=2'],
  ['?bad%zz=1', {}, {}, '?bad%zz=1'],
  ['?flag&a=1&a=2', {}, {}, '?flag&a=1&a=2'],
  ['?', {}, {}, ''],
])('%s with %j under %j is %s', (search, action, settings, expected) => {
  expect(mergeQuery(search, { settings, action, addressWins: false })).toBe(expected)
})

test("a link's own names win over the action's, which otherwise win over the URL's", () => {
  const action = { limit: 2, view: 'x' }
  expect(mergeQuery('?limit=5', { settings: null, action, addressWins: true })).toBe('?limit=5&view=x')
  expect(mergeQuery('?limit=5', { settings: null, action, addressWins: false })).toBe('?limit=2&view=x')
})

test('every value arrives unchanged: quotes, line breaks, symbols, emoji, large integers, whole floats, half characters', () => {
  const nasty = 'a"b\'c\\d\ne&f=g+h%20i é/?#\u{1F600}'
  const values = { nasty, big: 9007199254740993n, whole: new Float(1), half: 'a\ud800b' }
  const search = mergeQuery('', { settings: values, action: none, addressWins: false })
  expect(Object.fromEntries(new URLSearchParams(search))).toEqual({
    nasty,
    big: '9007199254740993',
    whole: '1.0',
    half: 'a\ufffdb',
  })
})

test('a form is written the same way', () => {
  expect(
    writeForm(
      dictionaryOf([
        ['a b', 'c&d'],
        ['list', [1, 2]],
        ['gone', null],
      ]),
    ),
  ).toBe('a%20b=c%26d&list=1&list=2')
})
