import { expect, test } from 'vitest'
import { formatJson, parseJson } from '../../../src/renderer/lib/json.ts'

test('long integers keep their digits when they are parsed and written', () => {
  const text =
    '{"id":12345678901234567890,"list":[-9007199254740993],"float":1.5,"text":"12345678901234567890"}'
  const value = parseJson(text)
  expect(value).toEqual({
    id: 12345678901234567890n,
    list: [-9007199254740993n],
    float: 1.5,
    text: '12345678901234567890',
  })
  expect(formatJson(value, 0)).toBe(text)
})

test('long integers keep their digits wherever JSON allows a number', () => {
  const long = '12345678901234567890'
  const texts = [
    long,
    `-${long}`,
    `[${long}]`,
    `[1,${long}]`,
    `{"a":\n\t${long}}`,
    `{"a" : -${long} }`,
    `\r\n${long}`,
  ]
  expect(texts.map((text) => formatJson(parseJson(text), 0))).toEqual(
    texts.map((text) => text.replaceAll(/\s/g, '')),
  )
})

test('a long fraction and a large exponent stay numbers', () => {
  expect(parseJson('[0.1234567890123456789, 1e20]')).toEqual([0.12345678901234568, 1e20])
})
