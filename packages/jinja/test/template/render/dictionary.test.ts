import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Random } from '../../../../../scripts/jinja/random.ts'
import { NotADictionaryError, renderDictionary, renderJsonBody } from '../../../src/template/index.ts'

const hostile = `a"b'c\\d\ne 😀 & </x>', "admin": true, 'x': '`

describe('dictionary strings', () => {
  it('are parsed unchanged, whatever a quoted value contains, and never gain a key', () => {
    const context = { previous_request: { next: hostile } }
    const sources = [
      '{"cursor": "{{ previous_request.next }}"}',
      "{'cursor': '{{ previous_request.next }}'}",
      "{'cursor': {{ previous_request.next }}}",
      '{"cursor": {{ previous_request.next }}}',
      '{"cursor": {{ previous_request.next | tojson }}}',
      "{'cursor': {{ previous_request.next | trim(' ') }}}",
      "{% set c = previous_request.next %}{'cursor': '{{ c }}',}",
    ]
    expect(sources.map((source) => asObject(renderDictionary(source, context).value))).toEqual(
      sources.map(() => ({ cursor: hostile })),
    )
  })

  it('carry any string through any quoting, and keep their keys', () => {
    const random = new Random(7)
    const pieces = [
      '"',
      "'",
      '\\',
      '\n',
      '\r',
      '\t',
      '\u0000',
      '\u2028',
      '😀',
      '\ud800',
      '{{ x }}',
      '{%',
      '}',
      ',',
      ':',
      'null',
      '1',
      ' ',
      '&',
      '\\u0041',
      "', 'x': '",
    ]
    const sources = [
      '{"v": "{{ p.v }}", "w": 1}',
      "{'v': '{{ p.v }}', 'w': 1}",
      '{"v": {{ p.v }}, "w": 1}',
      "{'v': {{ p.v }}, 'w': 1,}",
    ]
    const misses = Array.from({ length: 2000 }, () => {
      const v = Array.from({ length: random.below(6) }, () => random.pick(pieces)).join('')
      const source = random.pick(sources)
      const read = asObject(renderDictionary(source, { p: { v } }).value)
      return isDeepStrictEqual(read, { v, w: 1 }) ? [] : [{ source, v, read }]
    }).flat()
    expect(misses).toEqual([])
  })

  it('write server values as JSON, and computed strings without quotes if they are literals', () => {
    const context = {
      page: 2,
      previous_request: {
        id: 9007199254740993n,
        list: [1, 'x'],
        map: { a: null },
        code: '007',
        on: true,
        none: null,
      },
    }
    const source = `{
      'id': {{ previous_request.id }}, 'list': {{ previous_request.list }}, 'map': {{ previous_request.map }},
      'code': {{ previous_request.code }}, 'on': {{ previous_request.on }}, 'none': {{ previous_request.none }},
      'gone': {{ previous_request.gone }}, 'offset': {{ page * 100 }}, 'name': {{ 'a' ~ page }}, 'raw': {{ '[1, 2]' }},
    }`
    expect(asObject(renderDictionary(source, context).value)).toEqual({
      id: 9007199254740993n,
      list: [1, 'x'],
      map: { a: null },
      code: '007',
      on: true,
      none: null,
      gone: null,
      offset: 200,
      name: 'a2',
      raw: [1, 2],
    })
  })

  it('can be one expression, or a string that an author concatenates', () => {
    const context = { next: { page: 2 }, text: '{"page": 3}' }
    const sources = ['{{ next }}', '{{ text }}', "{{ '{' }}\"page\": 4{{ '}' }}"]
    expect(sources.map((source) => asObject(renderDictionary(source, context).value))).toEqual([
      { page: 2 },
      { page: 3 },
      { page: 4 },
    ])
  })

  it('use an object as it is and render its strings', () => {
    const source = { page: '{{ page + 1 }}', note: 'p{{ page }}', list: ['{{ page }}', 1], none: null }
    const { value, traced } = renderDictionary(source, { page: 1 })
    expect(asObject(value)).toEqual({ page: 2, note: 'p1', list: [1, 1], none: null })
    expect(traced.map(({ source: text, value: item, path }) => [text, item, path])).toEqual([
      ['page + 1', 2, 'computed'],
      ['page', 1, 'plain'],
      ['page', 1, 'plain'],
    ])
  })

  it('report what each expression inserted and where it came from', () => {
    const source = `{% set c = previous_request.cursor %}{'c': '{{ c }}',\n 'p': {{ page }}, 'x': {{ previous_request.a.b }}}`
    const { traced } = renderDictionary(
      source,
      { page: 1, previous_request: { cursor: 'n' } },
      below('previous_request'),
    )
    expect(traced.map((entry) => ({ ...entry, names: [...entry.names] }))).toEqual([
      { names: ['c', 'previous_request'], value: 'n', source: 'c', line: 1, column: 45, path: 'plain' },
      { names: ['page'], value: 1, source: 'page', line: 2, column: 7, path: 'plain' },
      {
        names: ['previous_request'],
        value: undefined,
        source: 'previous_request.a.b',
        line: 2,
        column: 24,
        path: 'plain',
      },
    ])
  })

  it('that are not dictionaries are rejected with what was rendered', () => {
    const refused = ['[1]', 'text', '', '{{ x }}', "{'a': 1"].map((source) => {
      try {
        return renderDictionary(source, { x: null })
      } catch (error) {
        return error instanceof NotADictionaryError ? [error.code, error.text] : error
      }
    })
    expect(refused).toEqual([
      ['not_a_dictionary', '[1]'],
      ['not_a_dictionary', 'text'],
      ['not_a_dictionary', ''],
      ['not_a_dictionary', 'None'],
      ['not_a_dictionary', "{'a': 1"],
    ])
  })

  it('keep the order of integer-like keys', () => {
    const { value } = renderDictionary("{'b': 1, '10': 2, '2': 3}", {})
    expect(value).toEqual(
      new Map(
        Object.entries({ b: 1 }).concat([
          ['10', 2],
          ['2', 3],
        ]),
      ),
    )
  })
})

describe('body templates', () => {
  it('remain JSON whatever a value contains', () => {
    const body = renderJsonBody('{"valid": "{{ web1.x }}", "all": {{ web1 }}}', { web1: { x: hostile } })
    expect(JSON.parse(body)).toEqual({ valid: hostile, all: { x: hostile } })
  })

  it('are strings if they are not anything else', () => {
    expect(renderJsonBody('[see {{ a ~ "" }}', { a: 'x' })).toBe('[see "x"')
  })
})

const below = (...names: readonly string[]) => ({ undefinedBelow: new Set(names) })

function asObject(value: object): unknown {
  return value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : { ...value }
}
