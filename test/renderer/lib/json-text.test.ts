import { expect, test } from 'vitest'
import { findField, offsetInString, scanJson } from '../../../src/renderer/lib/json-text.ts'

test('a text that is no JSON says at which character, in words', () => {
  const faults = (text: string) => {
    const { fault } = scanJson(text)
    return fault === null ? null : [fault.at, fault.message]
  }
  expect(
    ['', '{"a": [1, "x", null]}', '{"a": 1,}', '{"a" 1}', "{'a': 1}", '{"a": tru}', '{"a": "x', '[1] 2'].map(
      faults,
    ),
  ).toEqual([
    null,
    null,
    [7, 'There must be no comma behind the last one'],
    [5, 'A colon belongs behind the key'],
    [1, 'A key in double quotes belongs here'],
    [6, '"tru" is no value; texts stand in double quotes'],
    [6, 'This text has no closing quote'],
    [4, 'Nothing may follow the end of the value'],
  ])
})

test('a field is found by its name, also where its keys hold dots and brackets', () => {
  const text = '[{"query": {"filter[a.b]": "x", "filter": "y"}}, {"when": "z"}]'
  const { root } = scanJson(text)
  const at = (field: string) => {
    if (root === null) return null
    const { node } = findField(root, field)
    return text.slice(node.from, node.to)
  }
  expect([at('[0].query.filter[a.b]'), at('[0].query.filter'), at('[1].when'), at('[1].nothing')]).toEqual([
    '"x"',
    '"y"',
    '"z"',
    '{"when": "z"}',
  ])
})

test('line and column inside a text are found behind its escapes', () => {
  const text = String.raw`{"query": "{\"é😀\": 1,\n \"page\": {{ pag }}}"}`
  const { root } = scanJson(text)
  const { node } = findField(root ?? never(), 'query')
  const at = (line: number, column: number) =>
    text.slice(offsetInString(text, node, line, column)).slice(0, 4)
  expect([at(1, 1), at(1, 4), at(2, 2), at(2, 13)]).toEqual([
    String.raw`{\"é`,
    '😀\\"',
    String.raw`\"pa`,
    'pag ',
  ])
})

function never(): never {
  throw new Error('The text is no JSON')
}
