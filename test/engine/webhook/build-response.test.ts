import { englishOf } from '../../../src/shared/contract/base/message.ts'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/shared/contract/base/errors.ts'
import { parseJson } from '../../../packages/jinja/src/data/json.ts'
import {
  buildWebhookResponse,
  constantStatusProblem,
  jsonBodyProblem as bodyProblem,
  type ResponseConfig,
} from '../../../src/main/engine/webhook/build-response.ts'

function jsonBodyProblem(config: Pick<ResponseConfig, 'body' | 'headers'>): string | undefined {
  const problem = bodyProblem(config)
  return problem && englishOf(problem)
}

const context = {
  name: 'O"Hara',
  status: 201,
  word: 'soon',
  half: 200.5,
  line: 'a\r\nSet-Cookie: x=1',
  dict: parseJson('{"a": 1, "b": null, "n": 9007199254740993, "f": 1.0}'),
  json: '{"a": [1.0]}',
  html: '<p>hi</p>',
  empty: '',
  ok: false,
}

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'

function answer(config: Partial<ResponseConfig>) {
  return buildWebhookResponse({ statusCode: 200, body: '', headers: {}, ...config }, context)
}

function refusalOf(config: Partial<ResponseConfig>): string {
  try {
    return `accepted: ${JSON.stringify(answer(config))}`
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`
    throw error
  }
}

describe('the body of a response', () => {
  it.each<[string, string, string, string]>([
    ['none configured is null', '', JSON_TYPE, 'null'],
    ['a dictionary', '{"valid": "{{ word }}"}', JSON_TYPE, '{"valid": "soon"}'],
    ['a quote in a value cannot break it', '{"valid": "{{ name }}"}', JSON_TYPE, '{"valid": "O\\"Hara"}'],
    ['nor in a list', '\n ["{{ name }}"]', JSON_TYPE, '\n ["O\\"Hara"]'],
    ['nor behind a comment', '{# note #} {"v": "{{ name }}"}', JSON_TYPE, ' {"v": "O\\"Hara"}'],
    ['an expression that prints JSON', '{{ json }}', JSON_TYPE, '{"a": [1.0]}'],
    [
      'an expression that prints a Python dictionary',
      '{{ dict }}',
      JSON_TYPE,
      '{"a":1,"b":null,"n":9007199254740993,"f":1.0}',
    ],
    ['an expression that prints a Python list', '{{ [1, none, "x"] }}', JSON_TYPE, '[1,null,"x"]'],
    [
      'a boolean in a dictionary',
      '{"valid": {{ ok }}, "to": {{ name }}}',
      JSON_TYPE,
      '{"valid": false, "to": "O\\"Hara"}',
    ],
    ['a tuple is no list', '{{ (1, 2) }}', TEXT_TYPE, '(1, 2)'],
    ['template text is never rendered again', '{{ "{" ~ "{ name }" ~ "}" }}', TEXT_TYPE, '{{ name }}'],
    ['a number', '5', JSON_TYPE, '5'],
    ['a word', '{{ word }}', TEXT_TYPE, 'soon'],
    ['a Python word is no JSON', 'True', TEXT_TYPE, 'True'],
    ['text that begins like a dictionary', '{{ name }} {x', TEXT_TYPE, 'O"Hara {x'],
    ['HTML', '{{ html }}', TEXT_TYPE, '<p>hi</p>'],
    ['what renders to nothing', '{{ empty }}', TEXT_TYPE, ''],
    ['text beyond ASCII', 'é😀', TEXT_TYPE, 'é😀'],
  ])('%s', (_, body, type, expected) => {
    const found = answer({ body })
    expect({ contentType: found.headers['content-type'], body: found.body }).toEqual({
      contentType: type,
      body: expected,
    })
  })

  it('has the configured type, and is sent as rendered if that is not JSON', () => {
    const typed = (type: string, body: string) => {
      const { headers, body: text } = answer({ body, headers: { 'Content-Type': type } })
      return [headers['content-type'], text]
    }
    expect([
      typed('text/html', '{{ html }}'),
      typed('text/html; charset=utf-8', '{"a": 1}'),
      typed('text/plain', '{{ dict }}'),
      typed('application/json', '{{ dict }}'),
      typed('application/problem+json; charset=utf-8', '{{ dict }}'),
      typed('application/json', '{{ word }}'),
      typed('text/xml', ''),
    ]).toEqual([
      ['text/html', '<p>hi</p>'],
      ['text/html; charset=utf-8', '{"a": 1}'],
      ['text/plain', "{'a': 1, 'b': None, 'n': 9007199254740993, 'f': 1.0}"],
      ['application/json', '{"a":1,"b":null,"n":9007199254740993,"f":1.0}'],
      ['application/problem+json; charset=utf-8', '{"a":1,"b":null,"n":9007199254740993,"f":1.0}'],
      ['application/json', 'soon'],
      ['text/xml', 'null'],
    ])
  })

  it('has a warning if it was meant as JSON and is not', () => {
    const warnings = (body: string, type?: string) =>
      answer({ body, headers: type === undefined ? {} : { 'Content-Type': type } }).warnings.map(
        ({ code, message }) => ({ code, message }),
      )
    const cut = 'Line 1, column 8: expected "," or "}", found the end of the text.'
    expect({
      cut: warnings('{"a": 1'),
      typed: warnings('{{ word }}', 'application/json'),
      text: warnings('{{ word }}'),
      textOnPurpose: warnings('[2026] {{ word }}', 'text/plain'),
      json: warnings('{"a": {{ name }}}'),
      python: warnings("{'a': None}"),
    }).toEqual({
      cut: [
        {
          code: 'not_json',
          message: `The response body isn't JSON, but was sent as text/plain; charset=utf-8: ${cut}`,
        },
      ],
      typed: [
        {
          code: 'not_json',
          message:
            'The response body isn\'t JSON, but was sent as application/json: Line 1, column 1: expected a value, found "s".',
        },
      ],
      text: [],
      textOnPurpose: [],
      json: [],
      python: [],
    })
  })

  it.each<[string, string | undefined]>([
    ['{"a": 1', 'Line 1, column 8: expected "," or "}", found the end of the text.'],
    ['{a: {{ name }}}', 'Line 1, column 2: expected a key in double quotes, found "a".'],
    ['{"a": {{ name }} "b": 2}', 'Line 1, column 18: expected "," or "}", found a double quote.'],
    ['{\n{# a\nnote #}"a" 1}', 'Line 3, column 12: expected ":" after a key, found "1".'],
    ['[2026] To {{ word }}', 'Line 1, column 8: the JSON value ends before "T"; remove what follows it.'],
    ['{"a": {{ name }}, "b": "{{ word }} {{ name }}", "{{ word }}": 1}', undefined],
    ['{ {{ members }} }', undefined],
    ["{'a': {{ name }}}", undefined],
    ['{% if ok %}{"a"{% endif %}', undefined],
    ['{"a"{% if ok %}: 1}{% endif %}', undefined],
    ['{{ name }}', undefined],
    [`{"a": {{ name | default("}}") }}, "b": {{ name | default('}} {') }}}`, undefined],
    [`{"a": "{{ name | default("}}") }}", "b": "{{ name | replace('\\'}}', '') }}"}`, undefined],
    [`{"a": {{ name | default("}}") }} 1 2}`, 'Line 1, column 34: expected "," or "}", found "1".'],
    ['', undefined],
  ])('as a template, %s', (body, problem) => {
    expect({
      untyped: jsonBodyProblem({ body, headers: {} }),
      json: jsonBodyProblem({ body, headers: { 'content-type': 'application/json' } }),
      text: jsonBodyProblem({ body, headers: { 'CONTENT-TYPE': 'text/plain' } }),
    }).toEqual({ untyped: problem, json: problem, text: undefined })
  })

  it('is judged in time that grows with its length, even if nothing in it is closed', () => {
    const body = `{"a": "${'{{ "'.repeat(20_000)}\\`
    expect(jsonBodyProblem({ body, headers: {} })).toMatch(/never closed/)
  })

  it('is left out with 204 and 304, and its type with it', () => {
    expect(
      answer({ statusCode: 204, body: '{"a":1}', headers: { 'Content-Type': 'text/html', ETag: '"1"' } }),
    ).toEqual({
      status: 204,
      headers: { etag: '"1"', 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' },
      body: null,
      warnings: [],
    })
    expect(answer({ statusCode: 304, body: 'x' }).body).toBe(null)
  })
})

describe('the status of a response', () => {
  it('is a number or what a template renders to, from 200 to 999', () => {
    const codes: (number | string)[] = [
      200,
      201,
      404,
      500,
      599,
      999,
      '202',
      ' 202 ',
      '{{ status }}',
      '4{{ empty }}04',
    ]
    expect(codes.map((statusCode) => answer({ statusCode }).status)).toEqual([
      200, 201, 404, 500, 599, 999, 202, 202, 201, 404,
    ])
  })

  it('is an error of the flow otherwise', () => {
    const codes: (number | string)[] = [
      0,
      99,
      100,
      199,
      1000,
      200.5,
      -200,
      Number.NaN,
      '',
      'ok',
      '2e2',
      '0x1F4',
      '٢٠٠',
      '{{ word }}',
      '{{ half }}',
      '{{ empty }}',
      'x'.repeat(10_000),
    ]
    const refusals = codes.map((statusCode) => refusalOf({ statusCode }))
    expect(
      refusals.filter(
        (refusal) =>
          !/^flow_error: The response status code is ".{0,61}"; it must be an integer from 200 to 999$/.test(
            refusal,
          ),
      ),
    ).toEqual([])
    expect(refusals.at(-4)).toContain('"soon"')
  })

  it('is checked on saving if it is constant', () => {
    expect(
      [200, 999, '200', '{{ x }}', '{% if a %}200{% endif %}', 199, 1000, 'soon', ''].map(
        (code) => constantStatusProblem(code) === undefined,
      ),
    ).toEqual([true, true, true, true, true, false, false, false, false])
  })
})

describe('the headers of a response', () => {
  it('are rendered and in lower case, next to the two that are always sent', () => {
    expect(
      answer({
        body: 'x',
        headers: {
          'X-Name': 'for {{ word }}',
          Location: 'https://x.test/{{ word }}',
          'X-Empty': '{{ empty }}',
        },
      }).headers,
    ).toEqual({
      'content-type': TEXT_TYPE,
      'x-name': 'for soon',
      location: 'https://x.test/soon',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
  })

  it('never contain a line break or NUL, wherever it came from', () => {
    const refusals = ['a\r\nb', 'a\nb', 'a\rb', 'a\u0000b', '{{ line }}', 'a\u007f', '\u001b[0m'].map(
      (value) => refusalOf({ headers: { 'X-A': value } }),
    )
    expect(refusals).toEqual(
      refusals.map(
        () => 'flow_error: The response header "X-A" contains a line break or another control character',
      ),
    )
    expect(
      ['', 'a b', 'a:', 'a\r\nSet-Cookie', 'é', 'x'.repeat(101)].map((name) =>
        refusalOf({ headers: { [name]: 'v' } }).startsWith('flow_error: "'),
      ),
    ).toEqual(Array(6).fill(true))
  })

  it('cannot set cookies, weaken the sandbox or take over the connection', () => {
    const names = [
      'Set-Cookie', 'set-cookie', 'SET-COOKIE2', 'Clear-Site-Data', 'Service-Worker-Allowed', 'Strict-Transport-Security',
      'Content-Security-Policy', 'content-security-policy-report-only', 'X-Content-Type-Options', 'X-Request-Id', 'Content-Length',
      'Transfer-Encoding', 'Connection', 'Keep-Alive', 'Upgrade', 'Trailer', 'TE', 'Date', 'Content-Encoding', 'Proxy-Authenticate',
      'Access-Control-Allow-Origin', 'access-control-allow-credentials',
    ] // prettier-ignore
    const { headers, warnings } = answer({ headers: Object.fromEntries(names.map((name) => [name, 'x'])) })
    expect(headers).toEqual({
      'content-type': JSON_TYPE,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    })
    expect(warnings).toHaveLength(names.length)
    expect(warnings[0]?.message).toBe(
      'The response header "Set-Cookie" would affect Millrace\'s own page and was left out',
    )
  })

  it('pass through a real server unchanged', async () => {
    const built = answer({
      statusCode: 299,
      body: '{"a": "é"}',
      headers: { 'X-Name': 'é😀', 'X-Tab': 'a\tb' },
    })
    const server = createServer((_, response) =>
      response.writeHead(built.status, built.headers).end(built.body),
    )
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const name = Buffer.from(response.headers.get('x-name') ?? '', 'latin1').toString()
    expect({
      status: response.status,
      name,
      tab: response.headers.get('x-tab'),
      json: await response.json(),
    }).toEqual({ status: 299, name: 'é😀', tab: 'a\tb', json: { a: 'é' } })
    server.close()
  })
})
