import { expect, test } from 'vitest'
import { findField, offsetInString, scanJson } from '../../../src/renderer/lib/json-text.ts'

const COMMA = 'A comma or a closing bracket is expected here'
const CONTROL = String.raw`Write a line break in a string as \n and a tab as \t`
const BACKSLASH = String.raw`Write a backslash as \\`

test.each([
  ['', null],
  ['{"a": [1, "x", null]}', null],
  ['{"a": 1,}', { at: 7, message: 'Remove the comma after the last item' }],
  ['[1, ]', { at: 2, message: 'Remove the comma after the last item' }],
  ['{"a" 1}', { at: 5, message: 'A colon is expected after the key' }],
  ["{'a': 1}", { at: 1, message: 'A key in double quotes is expected here' }],
  ['{"a": tru}', { at: 6, message: '“tru” is not a value. Write strings in double quotes' }],
  [`{"a": 'x'}`, { at: 6, message: 'Write strings in double quotes' }],
  ['{"a": ,}', { at: 6, message: 'A value is expected here' }],
  ['[1 2]', { at: 3, message: COMMA }],
  ['{"a": 1 "b": 2}', { at: 8, message: COMMA }],
  ['{"a": "x', { at: 6, message: 'This string has no closing quote' }],
  ['{"a": "x\n"}', { at: 8, message: CONTROL }],
  ['{"a": "x\ty"}', { at: 8, message: CONTROL }],
  [String.raw`{"a": "\\ \d"}`, { at: 10, message: BACKSLASH }],
  [String.raw`"\u12"`, { at: 1, message: BACKSLASH }],
  ['[1] 2', { at: 4, message: 'Nothing can follow the end of the value' }],
  ['{"a": [1', { at: 7, message: 'The text ends before its closing bracket' }],
  ['{"a":', { at: 4, message: 'A value is missing at the end' }],
  ['// note\n1', { at: 0, message: 'JSON can’t contain comments' }],
  ['['.repeat(100_000), { at: 0, message: 'This is nested too deeply' }],
] as const)("text that isn't JSON is reported with its position, in words: %.20s", (text, fault) => {
  expect(scanJson(text).fault).toEqual(fault)
})

test('a field is found by its path, even if its keys contain dots and brackets', () => {
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

test('line and column inside a string are found despite its escapes', () => {
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
