import { Text } from '@codemirror/state'
import { expect, test } from 'vitest'
import { toDiagnostic } from '../../../../src/renderer/components/code/template-problems.ts'
import {
  isInsideTag,
  templateCursor,
  wordAt,
} from '../../../../src/renderer/components/code/template-cursor.ts'

/** `‸` marks the cursor. */
function at(marked: string, bare = false) {
  return templateCursor(marked.replace('‸', ''), marked.indexOf('‸'), bare)
}

test('the cursor is in text, at a name, a key, a filter, a test or a tag', () => {
  expect({
    text: at('Hello ‸ {{ x }}'),
    closed: at('{{ x }} ‸'),
    empty: at('{{ ‸ }}'),
    name: at('{{ we‸ }}'),
    key: at('{{ web1.or‸ }}'),
    deep: at("{{ web1.lines[0]['first name'].‸"),
    call: at('{{ f(web1.‸'),
    filter: at('{{ web1.name | up‸'),
    chained: at('{{ a | b | ‸'),
    test: at('{% if a is not ‸'),
    tag: at('{% fo‸ %}'),
    inTag: at('{% for x in web1.‸'),
    string: at("{{ 'web1.‸"),
    braceInString: at("{{ '}}' ~ we‸"),
    behindNumber: at('{{ 1‸'),
    behindName: at('{{ web1 ‸ }}'),
    behindKey: at('{{ web1.in ‸'),
    behindWord: at('{{ web1 or ‸'),
  }).toEqual({
    text: { kind: 'text' },
    closed: { kind: 'text' },
    empty: { kind: 'name', from: 3 },
    name: { kind: 'name', from: 3 },
    key: { kind: 'key', from: 8, path: 'web1', dot: 7 },
    deep: { kind: 'key', from: 31, path: "web1.lines[0]['first name']", dot: 30 },
    call: { kind: 'key', from: 10, path: 'web1', dot: 9 },
    filter: { kind: 'filter', from: 15 },
    chained: { kind: 'filter', from: 11 },
    test: { kind: 'test', from: 15 },
    tag: { kind: 'tag', from: 3 },
    inTag: { kind: 'key', from: 17, path: 'web1', dot: 16 },
    string: { kind: 'text' },
    braceInString: { kind: 'name', from: 10 },
    behindNumber: { kind: 'text' },
    behindName: { kind: 'text' },
    behindKey: { kind: 'text' },
    behindWord: { kind: 'name', from: 11 },
  })
})

test('a bare expression needs no braces', () => {
  expect([at('web1.to‸', true), at('‸', true), at('web1.total > ‸', true)]).toEqual([
    { kind: 'key', from: 5, path: 'web1', dot: 4 },
    { kind: 'name', from: 0 },
    { kind: 'name', from: 13 },
  ])
})

test('the word under the pointer is a whole path, or a filter', () => {
  expect([
    wordAt('{{ web1.order.id | upper }}', 10, false),
    wordAt('{{ web1.order.id | upper }}', 5, false),
    wordAt('{{ web1.order.id | upper }}', 21, false),
    wordAt('web1 {{ x }}', 2, false),
  ]).toEqual([
    { kind: 'path', text: 'web1.order', from: 3, to: 13 },
    { kind: 'path', text: 'web1', from: 3, to: 7 },
    { kind: 'filter', text: 'upper', from: 19, to: 24 },
    null,
  ])
})

test("braces inside a string don't end a tag", () => {
  expect([isInsideTag('{{ a', 4), isInsideTag('{{ a }}', 7), isInsideTag("{{ '}}'", 7)]).toEqual([
    true,
    false,
    true,
  ])
})

test('a problem marks its token, counted in code points, and at least one character', () => {
  const doc = Text.of(['😀 {{ uper }}', 'x'])
  const problem = (line: number, column: number, token: string) => {
    const { from, to, severity, message } = toDiagnostic(doc, {
      severity: 'error',
      message: 'M',
      hint: 'H',
      line,
      column,
      token,
    })
    return [doc.sliceString(from, to), severity, message]
  }
  expect([problem(1, 6, 'uper'), problem(2, 2, ''), problem(9, 1, 'x')]).toEqual([
    ['uper', 'error', 'M. H'],
    ['x', 'error', 'M. H'],
    ['x', 'error', 'M. H'],
  ])
})
