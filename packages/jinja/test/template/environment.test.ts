import nunjucks from 'nunjucks'
import { describe, expect, it } from 'vitest'
import { JinjaEnvironment } from '../../src/template/environment.ts'
import { TemplateError } from '../../src/template/index.ts'

describe('the nunjucks environment', () => {
  it('compiles to a nunjucks template with Jinja2 semantics', () => {
    const environment = new JinjaEnvironment()
    const template = environment.compile("{{ {'a': {'b': [6 / 2]}} }}{{ none }}")
    expect(environment).toBeInstanceOf(nunjucks.Environment)
    expect(template).toBeInstanceOf(nunjucks.Template)
    expect(template.render({})).toBe("{'a': {'b': [3.0]}}None")
    expect(environment.renderString('{{ a | upper }}', { a: 'x' })).toBe('X')
  })

  it("passes the output or the engine's own error to a callback", () => {
    const environment = new JinjaEnvironment()
    const answers: unknown[] = []
    environment.compile('{{ a }}').render({ a: 1 }, (error, text) => answers.push([error, text]))
    environment.compile('{{ a.b.c }}').render({ a: 1 }, (error) => answers.push(error))
    environment.renderString('{{ a', {}, (error) => answers.push(error))
    expect(answers).toEqual([[null, '1'], expect.any(TemplateError), expect.any(TemplateError)])
    expect(answers[1]).toMatchObject({ kind: 'undefined', line: 1, column: 8, token: 'c' })
  })

  it('accepts filters, tests and globals that work on data', () => {
    const environment = new JinjaEnvironment()
      .addFilter('shout', (value, mark = '!') => `${String(value)}${String(mark)}`)
      .addFilter('fails', () => {
        throw new Error('no')
      })
      .addFilter('leaks', () => process)
      .addGlobal('site', { name: 'M' })
      .addGlobal('twice', (value: unknown) => Number(value) * 2)
      .addTest('short', (value) => String(value).length < 3)
    const render = (source: string) => environment.renderString(source, { l: ['a', 'bcd'] })
    expect(render("{{ l | map('shout', '?') | join }} {{ site.name }} {{ twice(4) }}")).toBe('a?bcd? M 8')
    expect(render("{{ l | select('short') | list }} {{ 'x' is short }}")).toBe("['a'] True")
    expect(() => render('{{ l | fails }}')).toThrow('"fails" failed: no')
    expect(() => render('{{ l | leaks }}')).toThrow('can only read data')
    expect(() => new JinjaEnvironment().renderString('{{ 1 | shout }}', {})).toThrow(
      "No filter named 'shout'",
    )
  })

  it('checks templates and evaluates them as data, including what was added to it', () => {
    const environment = new JinjaEnvironment({ limits: { outputBytes: 20 } })
      .addFilter('shout', (value) => `${String(value)}!`)
      .addGlobal('site', 'M')
    const source = '{{ site | shout }}{{ a }}{{ a | whisper }}'
    const plain = new JinjaEnvironment()
    expect({
      problems: environment.check(source, { names: ['a'] }).map(({ message }) => message),
      expression: environment.check('site | shout', { expression: true, names: [] }),
      elsewhere: plain.check('site | shout', { expression: true }).map(({ message }) => message),
      reads: [...environment.namesRead('{{ site }}{{ a }}')],
      value: environment.evaluate('{{ [a] }}', { a: 1 }),
      condition: environment.evaluateCondition('a | shout == "1!"', { a: 1 }),
      dictionary: environment.renderDictionary('{"a": {{ a }}}', { a: 1 }).value,
      body: environment.renderJsonBody('{"a": "{{ a }}"}', { a: 'say "x"' }),
    }).toEqual({
      problems: ["No filter named 'whisper'."],
      expression: [],
      elsewhere: ["No filter named 'shout'."],
      reads: ['a'],
      value: [1],
      condition: true,
      dictionary: { a: 1 },
      body: String.raw`{"a": "say \"x\""}`,
    })
    expect(() => environment.renderString("{{ 'x' * 21 }}", {})).toThrow('limit')
  })

  it("leaves no other path to nunjucks' compiler", () => {
    const environment = new JinjaEnvironment()
    const doors: (() => unknown)[] = [
      () => environment.getTemplate(),
      () => environment.render(),
      () => environment.addExtension(),
      () => environment.express(),
      () => environment.addFilter('a', () => 1, true),
      () => new nunjucks.Template('{{ a }}', environment).render({}),
      () => new nunjucks.Template('{{ a }}', environment, 'a', true),
      () => Reflect.get(environment, 'extensionsList') as unknown,
      () => (Reflect.get(environment, 'asyncFilters') as unknown[]).push('a'),
      () => Object.defineProperty(environment, 'extensionsList', { value: [] }),
      () => (Reflect.get(environment, 'loaders') as unknown[]).push({}),
      () => nunjucks.renderString('{{ a }}', {}),
      () => nunjucks.compile('{{ a }}').render({}),
    ]
    const refusals = /JinjaEnvironment\.compile|Code generation from strings|redefine|not extensible/
    for (const door of doors) expect(door).toThrow(refusals)
  })
})
