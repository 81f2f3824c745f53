import { describe, expect, test } from 'vitest'
import type { Data } from '../../../../packages/jinja/src/data/value.ts'
import { checkPaginationConfig } from '../../../../src/main/engine/pagination/index.ts'

const PAGE = '{"page": {{ page + 1 }}}'
const problems = (config: Data, variables: string[] = ['auth', 'input']) =>
  checkPaginationConfig(config, variables).problems
const briefly = (config: Data) =>
  problems(config).map(({ severity, code, field }) => `${severity} ${code} ${field}`)

describe('valid configurations', () => {
  test.each<[string, Data]>([
    ['a query', { query: PAGE }],
    ['an object instead of a text', { query: { page: '{{ page + 1 }}', limit: 100 } }],
    [
      'every key',
      {
        query: PAGE,
        body: '{}',
        header: '{}',
        response_jsonpath: '$.a',
        endpoint: 'x',
        replace_body: true,
        when: 'page < 3',
        stop_when: 'page > 2',
        retry_when: 'false',
        method: 'POST',
        max_pages: 3,
        allowed_origins: ['https://a.test'],
        first_request: false,
        dedupe_by: 'id',
        response_format: 'csv',
        delimiter: ';',
      },
    ],
    ['a text body', { raw_body: 'FOR d IN users LIMIT {{ page * 10 }}, 10 RETURN d' }],
    ['a delimiter for what its type says is CSV', { query: PAGE, delimiter: 'tab' }],
    ['text as it is', { query: PAGE, response_format: 'text', response_jsonpath: '$' }],
    ['a list with a catch-all', [{ when: "endpoint == 'a'", query: PAGE }, { query: PAGE }]],
    ['empty texts for what is not used', { query: PAGE, body: '', endpoint: ' ', response_jsonpath: '' }],
    ['a path made by a template', { query: PAGE, response_jsonpath: "$.{{ endpoint.split('/')[0] }}" }],
    [
      'a dictionary that is nothing on the first page',
      { query: '{% if page > 1 %}{"page": {{ page }}}{% endif %}' },
    ],
    ['a dictionary that depends on the response', { query: '{{ previous_request.params }}' }],
    [
      'all variables',
      {
        query:
          '{"a": "{{ page }}{{ count }}{{ endpoint }}{{ links.next }}{{ last_record.id }}{{ previous_request.a }}{{ previous_request_headers.b }}{{ auth }}{{ input }}"}',
      },
    ],
  ])('%s: no problems', (_, config) => {
    expect(problems(config)).toEqual([])
  })
})

test('a filter that may hide the end of a counted list is hinted at', () => {
  const hinted = (config: Data) =>
    problems(config).map(({ severity, code, message }) => [severity, code, message])
  expect(hinted({ query: PAGE, response_jsonpath: '$[?(@.document)]' })).toEqual([
    ['hint', 'filter_hides_end', expect.stringContaining('use "[*].document"')],
  ])
  expect([
    problems({ query: PAGE, response_jsonpath: '$[*].document' }),
    problems({ query: PAGE, response_jsonpath: "$[?(@.type == 'a')]" }),
    problems({ query: '{}', endpoint: '{{ links.next }}', response_jsonpath: '$.orders[?(@.id)]' }),
  ]).toEqual([[], [], []])
})

describe('errors name field, code and position', () => {
  test.each<[Data, string[]]>([
    [[], ['error config_invalid ']],
    ['text', ['error config_invalid ']],
    [[PAGE], ['error config_invalid [0]']],
    [{}, ['error config_invalid ']],
    [{ response_jsonpath: '$.d' }, ['error config_invalid ']],
    [{ query: '' }, ['error config_invalid ']],
    [{ raw_body: 'x', body: '{}' }, ['error config_invalid raw_body']],
    [{ raw_body: { a: 1 } }, ['error config_invalid raw_body']],
    [{ raw_body: '<a>{{ pge }}</a>' }, ['error template_error raw_body']],
    [{ query: PAGE, response_format: 'yaml' }, ['error config_invalid response_format']],
    [{ query: PAGE, delimiter: ';;' }, ['error config_invalid delimiter']],
    [{ query: PAGE, response_format: 'tsv', delimiter: ';' }, ['error config_invalid delimiter']],
    [
      { query: PAGE, response_format: 'text', response_jsonpath: '$.d' },
      ['error config_invalid response_jsonpath'],
    ],
    [{ query: PAGE, replace_body: 'yes' }, ['error config_invalid replace_body']],
    [{ query: 5 }, ['error config_invalid query']],
    [{ query: null }, ['error config_invalid query']],
    [{ query: ['a'] }, ['error config_invalid query']],
    [{ query: PAGE, querry: '{}' }, ['error config_invalid querry']],
    [{ query: PAGE, constructor: '{}' }, ['error config_invalid constructor']],
    [{ query: PAGE, when: true }, ['error config_invalid when']],
    [{ query: PAGE, method: 'get' }, ['error config_invalid method']],
    [{ query: PAGE, max_pages: 0 }, ['error config_invalid max_pages']],
    [{ query: PAGE, max_pages: 1.5 }, ['error config_invalid max_pages']],
    [{ query: PAGE, allowed_origins: ['evil'] }, ['error config_invalid allowed_origins']],
    [{ query: PAGE, allowed_origins: ['https://a.test/v1'] }, ['error config_invalid allowed_origins']],
    [{ query: PAGE, allowed_origins: 'https://a.test' }, ['error config_invalid allowed_origins']],
    [
      [{ query: PAGE }, { endpoint: 'x' }],
      ['error config_invalid [1]', 'warning catch_all_not_last [0]'],
    ],
    [{ query: '{"page": {{ page + }}}' }, ['error template_error query']],
    [{ query: '{"page": {{ pagee }}}' }, ['error template_error query']],
    [{ query: PAGE, when: 'page ==' }, ['error template_error when']],
    [{ query: PAGE, when: '{{ pagee }}' }, ['error template_error when']],
    [{ query: PAGE, response_jsonpath: '$.{{ x' }, ['error template_error response_jsonpath']],
    [{ body: { a: { b: ['{{ page', '{{ page }}'] } } }, ['error template_error body.a.b[0]']],
    [{ query: 'page={{ page }}' }, ['error not_a_dictionary query']],
    [{ header: '[1]' }, ['error not_a_dictionary header']],
    [{ query: PAGE, response_jsonpath: '$.a[' }, ['error jsonpath_error response_jsonpath']],
    [{ query: PAGE, dedupe_by: '$[' }, ['error jsonpath_error dedupe_by']],
  ])('%j: %j', (config, expected) => {
    expect(briefly(config)).toEqual(expected)
  })

  test('a misspelt key is reported with the right one', () => {
    expect(problems({ query: PAGE, replaceBody: true })[0]?.message).toContain('"replace_body"')
    expect(problems({ query: PAGE, headers: '{}' })[0]?.message).toContain('"header"')
  })

  test('more than 50 configurations are rejected', () => {
    expect(briefly(Array.from({ length: 51 }, () => ({ query: PAGE, when: 'page' })))).toEqual([
      'error config_invalid ',
    ])
  })
})

describe('what is allowed but rarely intended', () => {
  test.each<[Data, string[]]>([
    [[{ query: PAGE }, { when: 'page', query: PAGE }], ['warning catch_all_not_last [0]']],
    [{ query: '{"limit": 500, "page": {{ page }}}' }, ['warning page_size query']],
    [{ query: '{"per_page": "101"}' }, ['warning page_size query']],
    [{ body: { pageSize: 1000 } }, ['warning page_size body']],
    [{ query: '{"limit": 100, "max": 500}' }, []],
    [{ query: '{"limit": 100, "offset": {{ ((page + 1) * 100) + 1 }}}' }, ['hint one_based_offset query']],
    [{ query: '{"limit": 100, "offset": {{ page * 100 + 1 }}}' }, []],
    [{ body: '{"a": 1}', method: 'GET' }, ['warning body_not_sent body']],
  ])('%j: %j', (config, expected) => {
    expect(briefly(config)).toEqual(expected)
  })

  test('the position is reported as line and column', () => {
    expect(problems({ query: '{\n  "limit": 500\n}' })[0]).toMatchObject({ line: 2, column: 3 })
    expect(problems({ query: '{"😀": 1, "limit": 500}' })[0]).toMatchObject({ line: 1, column: 10 })
    expect(problems({ header: '\n [1]' })[0]).toMatchObject({ code: 'not_a_dictionary', line: 2, column: 2 })
  })
})

test('a configuration is counted unless something in it reads the previous response', () => {
  const reads = (config: Data) => checkPaginationConfig(config, []).configs[0]?.readsResponse
  expect(reads({ query: PAGE })).toBe(false)
  expect(reads({ query: '{"previous_request": {{ page }}}' })).toBe(false)
  expect(reads({ query: '{"offset": {{ count }}, "after": "{{ last_record.id }}"}' })).toBe(false)
  expect(
    reads({ query: PAGE, stop_when: 'previous_request.done', retry_when: 'previous_request.busy' }),
  ).toBe(false)
  expect(reads({ query: '{"c": "{{ previous_request.next }}"}' })).toBe(true)
  expect(reads({ query: { c: ['{{ links.next }}'] } })).toBe(true)
  expect(reads({ query: PAGE, when: 'previous_request.more' })).toBe(true)
  expect(reads({ query: '{}', endpoint: '{{ previous_request_headers.Link }}' })).toBe(true)
})
