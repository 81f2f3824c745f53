import { describe, expect, it } from 'vitest'
import { Float } from '../../src/data/value.ts'
import {
  checkTemplate,
  evaluateCondition,
  evaluateTemplate,
  evaluateValue,
  namesRead,
  parseLiteral,
  renderTemplate,
  renderTraced,
  TemplateError,
} from '../../src/template/index.ts'

describe('values', () => {
  it('of a single expression keep their type, anything else is a string', () => {
    const context = { list: [1, 'a'], map: { k: null }, big: 2n ** 60n }
    const sources = [
      '{{ list }}',
      '{{ map.k }}',
      '{{ gone }}',
      '{{ 6 / 2 }}',
      '{{ big + 1 }}',
      ' {{ list }}',
      '{{ list | map("string") }}',
    ]
    expect(sources.map((source) => evaluateTemplate(source, context))).toEqual([
      [1, 'a'],
      null,
      null,
      new Float(3),
      2n ** 60n + 1n,
      " [1, 'a']",
      ['1', 'a'],
    ])
  })

  it('are rendered deeply with their keys unchanged', () => {
    expect(evaluateValue({ '{{ a }}': ['{{ a }}', { b: 'x{{ a }}' }], n: 1 }, { a: 5 })).toEqual({
      '{{ a }}': [5, { b: 'x5' }],
      n: 1,
    })
  })

  it('of the context are copied before a template changes them', () => {
    const context = { l: [1], d: { a: 1 } }
    expect(
      renderTemplate('{{ l.append(2) or "" }}{{ l }}{{ d.update({"b": 2}) or "" }}{{ d }}', context),
    ).toBe("[1, 2]{'a': 1, 'b': 2}")
    expect(context).toEqual({ l: [1], d: { a: 1 } })
  })

  it('that are not data are rejected when a template reaches them', () => {
    class Secret {
      key = 'k'
    }
    const context: Record<string, unknown> = {
      f: () => 1,
      c: new Secret(),
      b: Buffer.from('x'),
      p: new Proxy({}, {}),
      deep: [{ f: () => 1 }],
      get g() {
        return 1
      },
      d: new Date(0),
      ok: 1,
    }
    const sources = [
      '{{ f }}',
      '{{ c }}',
      '{{ b }}',
      '{{ p }}',
      '{{ deep[0].f }}',
      '{{ deep }}',
      '{{ g }}',
      '{{ d }}',
      '{{ ok }}',
    ]
    expect(sources.map((source) => attempt(() => renderTemplate(source, context)))).toEqual([
      ...Array.from({ length: 7 }, () => 'runtime'),
      '1970-01-01T00:00:00.000Z',
      '1',
    ])
  })

  it('read a key of a dictionary before a method, unless it is called immediately', () => {
    const context = { web1: { items: [1], values: 2 }, plain: { a: 1 } }
    expect(
      renderTemplate('{{ web1.items }} {{ web1.items() | list }} {{ plain.items() | list }}', context),
    ).toBe("[1] [('items', [1]), ('values', 2)] [('a', 1)]")
  })
})

describe('conditions', () => {
  it('hold by the truth of an expression or the output of a template', () => {
    const yes = ['page == 1', '{{ page }}', 'yes', '{% if page %}x{% endif %}', "'0'", 'data']
    const no = [
      '',
      'false',
      '0',
      'none',
      'page > 1',
      '{{ false }}',
      '{{ none }}',
      '{{ [] }}',
      '{{ 0 }}',
      ' {{ "" }} ',
      '[]',
      'null',
      'gone',
      '{{ 0.0 }}',
    ]
    const context = { page: 1, yes: true, data: [0] }
    expect(yes.map((source) => evaluateCondition(source, context))).toEqual(yes.map(() => true))
    expect(no.map((source) => evaluateCondition(source, context))).toEqual(no.map(() => false))
  })
})

describe('names', () => {
  it('read by a template are found, except its own variables and the globals', () => {
    const source =
      '{% set a = page %}{% for i in list %}{{ a + i + range(3) | length }}{% endfor %}{{ x is defined }}'
    expect([...namesRead(source)]).toEqual(['page', 'list', 'x'])
    expect([...namesRead('page > 1 and previous_request.next', { expression: true })]).toEqual([
      'page',
      'previous_request',
    ])
  })

  it('can be missing below the given roots, and nowhere else', () => {
    const options = { undefinedBelow: new Set(['previous_request']) }
    const context = { previous_request: { a: null }, page: 1, other: {} }
    const sources = [
      '{{ previous_request.b.c.d }}|',
      '{% set p = previous_request %}{{ p.x.y }}|',
      "{{ previous_request.b.c | default('d') }}",
      '{{ curser | default("d") }}',
      '{{ curser is defined }}',
      '{{ curser }}',
      '{{ other.x }}',
      '{{ previous_reqest.b }}',
    ]
    expect(sources.map((source) => attempt(() => renderTemplate(source, context, options)))).toEqual([
      '|',
      '|',
      'd',
      'd',
      'False',
      'undefined',
      'undefined',
      'undefined',
    ])
  })
})

describe('errors', () => {
  it('have position, token and hint for syntax, names, filters, arguments and run time alike', () => {
    const probes: readonly (readonly [string, object])[] = [
      [
        'a\n{{ page | uper }}',
        { kind: 'filter', line: 2, column: 11, token: 'uper', hint: 'Did you mean "upper"?' },
      ],
      [
        '{{ page is defned }}',
        { kind: 'filter', line: 1, column: 12, token: 'defned', hint: 'Did you mean "defined"?' },
      ],
      ['{{ pag + 1 }}', { kind: 'undefined', line: 1, column: 8, token: '+', hint: 'Did you mean "page"?' }],
      [
        '{{ d.nmae.x }}',
        { kind: 'undefined', line: 1, column: 11, token: 'x', hint: 'Did you mean "name"?' },
      ],
      ['😀 {{ page + }}', { kind: 'syntax', line: 1, column: 13, token: '}}' }],
      ['{{ page | round(1, 2, 3) }}', { kind: 'argument', line: 1, column: 11, token: 'round' }],
      [
        '{% fro x in y %}{% endfor %}',
        { kind: 'syntax', line: 1, column: 4, token: 'fro', hint: 'Did you mean "for"?' },
      ],
      ['{{ 10 // (page - 1) }}', { kind: 'runtime', line: 1, column: 7, token: '//' }],
      ["{{ 'a' + 1 }}", { kind: 'runtime', hint: 'To join strings and numbers, write ~ instead of +' }],
      ['{{ "x" * 99999999 }}', { kind: 'limit', line: 1, column: 8 }],
    ]
    for (const [source, expected] of probes) {
      expect(caught(() => renderTemplate(source, { page: 1, d: { name: {} } }))).toMatchObject({
        code: 'template_error',
        ...expected,
      })
    }
  })

  it('are found in advance: unknown filters inside an if, and unknown names', () => {
    const source = '{% if a %}{{ b | nope }}{% endif %}{{ pge }}{{ c | default(1) }}'
    expect(checkTemplate(source, { names: ['a', 'b', 'page'] })).toMatchObject([
      {
        kind: 'filter',
        message: "No filter named 'nope'.",
        said: { key: "No filter named '{{0}}'.", params: { 0: 'nope' } },
        line: 1,
        column: 18,
        token: 'nope',
        hint: null,
        advice: null,
      },
      {
        kind: 'undefined',
        message: "'pge' is undefined",
        said: { key: "'{{0}}' is undefined", params: { 0: 'pge' } },
        line: 1,
        column: 39,
        token: 'pge',
        hint: 'Did you mean "page"?',
        advice: { key: 'Did you mean "{{0}}"?', params: { 0: 'page' } },
      },
    ])
    expect(checkTemplate('{{ a')).toMatchObject([{ kind: 'syntax', line: 1 }])
    expect(checkTemplate('a > 1 and', { expression: true })).toMatchObject([{ kind: 'syntax' }])
    expect(checkTemplate('{{ a | upper }}', { names: ['a'] })).toEqual([])
  })
})

describe('traces', () => {
  it('contain the output and what each expression inserted', () => {
    const { text, traced } = renderTraced('{% for i in l %}{{ i }};{% endfor %}{{ gone }}', { l: [1, 2] })
    expect(text).toBe('1;2;')
    expect(traced.map(({ value, names, path }) => [value, [...names], path])).toEqual([
      [1, ['i', 'l'], 'plain'],
      [2, ['i', 'l'], 'plain'],
      [undefined, ['gone'], 'plain'],
    ])
  })
})

describe('literals', () => {
  it('are read as JSON, otherwise as Python', () => {
    const texts = [
      '{"a": 1.0}',
      "{'a': None, 'b': (1,), 'c': ('x'), 'd': -1,}",
      '[1, 2,]',
      "'a' 'b'",
      '1, 2',
      '9007199254740993',
      '()',
      "{'a': true}",
    ]
    expect(texts.map((text) => parseLiteral(text))).toEqual([
      { a: new Float(1) },
      { a: null, b: [1], c: 'x', d: -1 },
      [1, 2],
      'ab',
      [1, 2],
      9007199254740993n,
      [],
      { a: true },
    ])
  })

  it('have no names, no calls and no operators', () => {
    const texts = ['a', 'f()', '1 + 1', "{'a': b}", '[1', "{'a' 1}", '{{ 1 }}', '--1', '']
    expect(texts.map((text) => attempt(() => parseLiteral(text)))).toEqual(texts.map(() => 'syntax'))
  })
})

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

function attempt(work: () => unknown): unknown {
  const result = caught(work)
  return result instanceof TemplateError ? result.kind : result
}
