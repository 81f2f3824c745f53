import { describe, expect, it } from 'vitest'
import {
  evaluateTemplate,
  NotADictionaryError,
  renderDictionary,
  renderTemplate,
  TemplateError,
} from '../../src/template/index.ts'
import { HOSTILE } from './hostile-templates.ts'

const SECRET = 'planted-secret-7f3a'

/** Signs of the process, its files, its environment or its stack, which no output may contain. */
const LEAKS = [
  SECRET,
  'node:internal',
  '.ts:',
  'file://',
  'uid=',
  'root:x:',
  '[native code]',
  '[object Object]',
  process.cwd(),
]

function hostileContext(): Record<string, unknown> {
  const cyclic: Record<string, unknown> = { a: 1 }
  cyclic['self'] = cyclic
  let deep: unknown = { a: { b: { c: 1 } } }
  for (let level = 0; level < 5000; level++) deep = [deep]
  return {
    s: 'text',
    i: 7,
    l: [3, 1, 2],
    d: { a: 1, b: [1, { c: 2 }] },
    hostile: JSON.parse(
      '{"__proto__": {"polluted": 1}, "constructor": "data", "toString": "data"}',
    ) as unknown,
    cyclic,
    deep,
  }
}

interface Outcome {
  readonly text: string
  readonly failed: boolean
}

function outcomeOf(work: () => unknown): Outcome {
  try {
    const value = work()
    return { text: typeof value === 'string' ? value : JSON.stringify(value, plainNumber), failed: false }
  } catch (error) {
    if (error instanceof TemplateError || error instanceof NotADictionaryError) {
      return { text: `${error.message} ${'hint' in error ? error.hint : ''}`, failed: true }
    }
    throw error
  }
}

const plainNumber = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

describe('hostile templates', () => {
  it('are numerous', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(250)
  })

  // A template is stopped after 200 ms; one that isn't would exceed the time limit of a test.
  it.each(HOSTILE.map(({ template }) => [template.slice(0, 60), template]))(
    '%s ends harmlessly',
    (_title, template) => {
      process.env['MILLRACE_TEST_SECRET'] = SECRET
      const rss = process.memoryUsage.rss()
      const { text, failed } = outcomeOf(() => renderTemplate(template, hostileContext()))
      expect(process.memoryUsage.rss() - rss).toBeLessThan(400_000_000)
      expect(LEAKS.filter((leak) => text.includes(leak))).toEqual([])
      expect({ pwned: 'pwned' in globalThis, polluted: 'polluted' in {} }).toEqual({
        pwned: false,
        polluted: false,
      })
      expect(failed ? text.length : 0).toBeLessThan(1000)
    },
  )

  it('are as harmless if they are evaluated to a value or parsed as a dictionary', () => {
    // The test above shows that endless ones are stopped; here a tenth of the time is enough to do harm.
    const options = { limits: { milliseconds: 20 } }
    for (const { template } of HOSTILE.filter((one) => one.template.length < 300)) {
      outcomeOf(() => evaluateTemplate(template, hostileContext(), options))
      outcomeOf(() => renderDictionary(`{"a": "${template}"}`, hostileContext(), options))
    }
    expect({ pwned: 'pwned' in globalThis, polluted: 'polluted' in {} }).toEqual({
      pwned: false,
      polluted: false,
    })
  })

  it('read only data under their names', () => {
    const context = hostileContext()
    expect(
      renderTemplate('{{ hostile.constructor }} {{ hostile.toString }} {{ hostile.valueOf }}|', context),
    ).toBe('data data |')
    expect(evaluateTemplate("{{ {'__proto__': {'polluted': 1}, 'a': 1} }}", {})).toEqual({ a: 1 })
    expect(renderTemplate('{{ constructor }}{{ __proto__ }}{{ toString }}|', {})).toBe('|')
  })

  it('report the limit they reached', () => {
    const probes = [
      [
        '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
        /"(steps|milliseconds)"/,
      ],
      ["{{ 'a' * 1000000000 }}", /"valueBytes"/],
      ['{{ 10 ** (10 ** 10) }}', /"integerBits"/],
      ['{{ range(1000000000) }}', /"rangeItems"/],
      ['{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', /"recursion"/],
      [`{{ ${'('.repeat(300)}1${')'.repeat(300)} }}`, /"nesting"/],
      ['x'.repeat(70_000), /"sourceBytes"/],
      ["{% for i in range(1000) %}{{ 'a' * 100000 }}{% endfor %}", /"outputBytes"/],
    ] as const
    for (const [template, limit] of probes) {
      expect(outcomeOf(() => renderTemplate(template, {}))).toEqual({
        text: expect.stringMatching(limit),
        failed: true,
      })
    }
  })

  it('can get lower limits from the caller', () => {
    const options = { limits: { steps: 10_000, outputBytes: 100 } }
    expect(
      outcomeOf(() => renderTemplate('{% for a in range(50000) %}{% endfor %}', {}, options)).text,
    ).toContain('"steps"')
    expect(outcomeOf(() => renderTemplate("{{ 'a' * 101 }}", {}, options)).text).toContain('"outputBytes"')
  })
})
