import { expect, test } from 'vitest'
import { unquoteAbsentValues } from '../../../../src/main/engine/pagination/request/config-dictionary.ts'
import { renderDictionary } from '../../../../packages/jinja/src/template/index.ts'

const options = { undefinedBelow: new Set(['previous_request']) }

test.each([
  ['{"a": "{{ previous_request.x }}"}', { a: null }],
  ["{'a': '{{ previous_request.x }}'}", { a: null }],
  ['{"a": "{{- previous_request.x -}}"}', { a: null }],
  ['{"a": "{{ previous_request.nil }}", "b": "{{ previous_request.here }}"}', { a: null, b: 'h' }],
  ['{"é\u{1F600}": 1, "a": "{{ previous_request.x }}"}', { 'é\u{1F600}': 1, a: null }],
  ['{\r\n  "a": "{{ previous_request.x }}",\n\r  "b": "{{\n previous_request.y }}"\n}', { a: null, b: null }],
  ['{"a": "x{{ previous_request.x }}"}', { a: 'x' }],
  ['{"a": "{{ previous_request.x }}y"}', { a: 'y' }],
  ['{"a": "{{ input.nil }}"}', { a: 'None' }],
  ['{"a": "{{ previous_request.blank }}"}', { a: '' }],
  [
    '{"a": [{% for r in previous_request.list %}"{{ r.p }}"{% if not loop.last %},{% endif %}{% endfor %}]}',
    { a: ['p1', null, 'p"3'] },
  ],
])('%s', (source, expected) => {
  const context = {
    input: { nil: null },
    previous_request: { nil: null, here: 'h', blank: '', list: [{ p: 'p1' }, {}, { p: 'p"3' }] },
  }
  const { value, traced } = renderDictionary(source, context, options)
  const changed = unquoteAbsentValues(source, traced, false)
  expect(changed === null ? value : renderDictionary(changed, context, options).value).toEqual(expected)
})

test('before the first response an empty string counts as missing', () => {
  const source = '{"a": "{{ previous_request.x or \'\' }}", "b": "{{ previous_request.y }}", "c": "{{ 1 }}"}'
  const { traced } = renderDictionary(source, { previous_request: {} }, options)
  expect(unquoteAbsentValues(source, traced, true)).toBe('{"a": null, "b": null, "c": "{{ 1 }}"}')
})
