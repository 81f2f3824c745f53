/** What is sent, page by page. */
import { describe, expect, test } from 'vitest'
import { ids, runAgainst, type Wire } from '../../helpers/pagination.ts'

const PAGE = '{"page": {{ page + 1 }}}'
const CURSOR = { response_jsonpath: '$.d', query: '{"cursor": "{{ previous_request.next }}"}' }
const twoPages = (next: unknown) => (_: Wire, count: number) => ({
  json: count === 1 ? { d: ids(1, 2), next } : { d: ids(3, 4), next: null },
})
const brief = (sent: readonly Wire[]) =>
  sent.map(({ method, path, query }) => `${method} ${path} ${JSON.stringify(query)}`)

describe('the query', () => {
  test("keeps the action's parameters; the configuration's win, and null removes one", async () => {
    const { sent, records } = await runAgainst(
      twoPages('x'),
      {
        response_jsonpath: '$.d',
        query: '{"cursor": "{{ previous_request.next }}", "limit": 50, "once": null}',
      },
      { action: { query: { limit: 10, once: 'yes', keep: ['a', 'b'], gone: null, flag: true } } },
    )
    expect(records).toEqual(ids(1, 4))
    expect(sent.map(({ query }) => query)).toEqual([
      { limit: '10', once: 'yes', keep: ['a', 'b'], flag: 'true' },
      { keep: ['a', 'b'], flag: 'true', cursor: 'x', limit: '50' },
    ])
  })

  test('can be an object whose strings are templates', async () => {
    const { sent } = await runAgainst(twoPages('a"b'), {
      response_jsonpath: '$.d',
      query: {
        cursor: '{{ previous_request.next }}',
        page: '{{ page + 1 }}',
        text: 'p{{ page }}',
        fixed: 7,
        nothing: null,
      },
    })
    expect(sent[1]?.query).toEqual({ cursor: 'a"b', page: '2', text: 'p1', fixed: '7' })
  })

  test('can be a Python literal', async () => {
    const { sent } = await runAgainst(twoPages('x'), {
      response_jsonpath: '$.d',
      query: "{'cursor': '{{ previous_request.next }}', 'all': True, 'none': None, }",
    })
    expect(sent[1]?.query).toEqual({ cursor: 'x', all: 'true' })
  })

  test("of the action's own endpoint is kept if a server link omits it", async () => {
    const linked = async (next: string, query = '{}') => {
      const { sent } = await runAgainst(
        twoPages(next),
        { response_jsonpath: '$.d', endpoint: '{{ previous_request.next }}', query },
        { action: { endpoint: 'items?status=open&tag=a%2Cb&tag=c&page=1' } },
      )
      return sent[1]?.query
    }
    expect([
      await linked('?page=2'),
      await linked('/items?page=2&status=closed'),
      await linked('?page=2', '{"status": null, "tag": null}'),
    ]).toEqual([
      { status: 'open', tag: ['a,b', 'c'], page: '2' },
      { status: 'closed', tag: ['a,b', 'c'], page: '2' },
      { page: '2' },
    ])
  })

  test("of the action's own endpoint is kept on every page", async () => {
    const { sent } = await runAgainst(
      (_, count) => (count < 3 ? ids(count, count) : []),
      { query: PAGE },
      {
        action: { endpoint: 'items?sort=a%20b&page=1', query: { q: 'x' } },
      },
    )
    expect(sent.map(({ query }) => query)).toEqual([
      { sort: 'a b', page: '1', q: 'x' },
      { sort: 'a b', q: 'x', page: '2' },
      { sort: 'a b', q: 'x', page: '3' },
    ])
  })
})

describe('a cursor arrives unchanged', () => {
  const nasty = 'a"b\\c\nd\te&f=g+h%20i é/?#;{{ page }}{% raw %}\u{1F600}\'" , "admin": "1'
  test.each<[string, unknown, string, unknown]>([
    ['a nasty text in double quotes', nasty, '{"c": "{{ previous_request.next }}"}', nasty],
    ['a nasty text in single quotes', nasty, "{'c': '{{ previous_request.next }}'}", nasty],
    ['a nasty text without quotes', nasty, '{"c": {{ previous_request.next }}}', nasty],
    ['a text that looks like JSON', '{"a":1}', '{"c": "{{ previous_request.next }}"}', '{"a":1}'],
    ['a text that looks like a number', '007', '{"c": "{{ previous_request.next }}"}', '007'],
    ['a text that looks like a literal', 'None', '{"c": "{{ previous_request.next }}"}', 'None'],
    ['inside other text', 'a"b', '{"c": "x-{{ previous_request.next }}-y"}', 'x-a"b-y'],
    ['a number', 12, '{"c": {{ previous_request.next }}}', 12],
    ['zero', 0, '{"c": {{ previous_request.next }}}', 0],
    ['a list', [1, 'a"b', null, true], '{"c": {{ previous_request.next }}}', [1, 'a"b', null, true]],
    ['an object', { a: { b: 'c"d' } }, '{"c": {{ previous_request.next }}}', { a: { b: 'c"d' } }],
    ['an object through tojson', { a: 'b"c' }, '{"c": {{ previous_request.next | tojson }}}', { a: 'b"c' }],
    ['true', true, '{"c": {{ previous_request.next }}}', true],
  ])('%s', async (_, next, body, expected) => {
    const { sent, error } = await runAgainst(twoPages(next), { response_jsonpath: '$.d', body })
    expect(error).toBeUndefined()
    expect(sent[1]?.body).toEqual({ c: expected })
  })

  test('in a query as well as in a header', async () => {
    const next = 'a"b\\c&d=e f+g%é\u{1F600}'
    const { sent } = await runAgainst(twoPages(next), {
      response_jsonpath: '$.d',
      query: '{"c": "{{ previous_request.next }}"}',
      header: '{"X-Cursor": "{{ previous_request.next }}"}',
    })
    expect(sent[1]?.query).toEqual({ c: next })
    expect(Buffer.from(String(sent[1]?.headers['x-cursor']), 'latin1').toString()).toBe(next)
  })

  test('as an integer beyond 2^53 and as a whole float', async () => {
    const answer = (_: Wire, count: number) =>
      count === 1
        ? { raw: '{"d":[{"id":123456789012345678901234567890}],"next":9007199254740993,"rate":1.0}' }
        : { json: { d: [], next: null } }
    const { sent, records } = await runAgainst(answer, {
      response_jsonpath: '$.d',
      query:
        '{"c": {{ previous_request.next }}, "r": {{ previous_request.rate }}, "s": "{{ previous_request.next }}"}',
    })
    expect(records).toEqual([{ id: 123456789012345678901234567890n }])
    expect(sent[1]?.query).toEqual({ c: '9007199254740993', r: '1.0', s: '9007199254740993' })
  })

  test('a line break in a header is rejected: it could inject headers', async () => {
    const { error, sent } = await runAgainst(twoPages('a\r\nX-Admin: 1'), {
      response_jsonpath: '$.d',
      header: '{"X-Cursor": "{{ previous_request.next }}"}',
    })
    expect(error).toMatchObject({ code: 'config_invalid', page: 1, partial_count: 2, field: 'header' })
    expect(sent).toHaveLength(1)
  })
})

describe('method and body', () => {
  const rows = (_: Wire, count: number) => ({ json: { d: count < 3 ? ids(count, count) : [] } })
  const action = { method: 'POST', endpoint: 'search', body: { q: 'x', deep: { a: 1, b: 2 }, page: 0 } }
  const bodies = (sent: readonly Wire[]) => sent.map(({ method, body }) => [method, body])

  test("the pagination body is merged over the action's, one level deep", async () => {
    const { sent } = await runAgainst(
      rows,
      { response_jsonpath: '$.d', body: '{"page": {{ page }}, "deep": {"a": 9}, "no": null}' },
      { action },
    )
    expect(bodies(sent).slice(0, 2)).toEqual([
      ['POST', { q: 'x', deep: { a: 1, b: 2 }, page: 0 }],
      ['POST', { q: 'x', deep: { a: 9 }, page: 1, no: null }],
    ])
  })

  test('the order of keys is kept, even of those like numbers', async () => {
    const texts: string[] = []
    const { sent } = await runAgainst(
      rows,
      { response_jsonpath: '$.d', body: '{"10": 1, "2": {{ page }}, "z": 0}', replace_body: true },
      {
        action,
        ports: {
          onExchange: ({ request }) => texts.push(String(request.body)),
        },
      },
    )
    expect(texts[1]).toBe('{"10":1,"2":1,"z":0}')
    expect(sent).toHaveLength(3)
  })

  test.each([
    ['POST', 'query', { query: PAGE }, ['GET', null]],
    ['PUT', 'header', { header: '{"X-Page": "{{ page }}"}' }, ['GET', null]],
    ['GET', 'body', { body: PAGE, replace_body: true }, ['POST', { page: 2 }]],
    ['POST', 'query and body', { query: '{"a": 1}', body: PAGE, replace_body: true }, ['POST', { page: 2 }]],
    ['GET', 'body and method', { body: PAGE, replace_body: true, method: 'PUT' }, ['PUT', { page: 2 }]],
    ['POST', 'query and method', { query: PAGE, method: 'POST' }, ['POST', action.body]],
    [
      'POST',
      'query, method and replace_body',
      { query: PAGE, method: 'POST', replace_body: true },
      ['POST', null],
    ],
    ['POST', 'body and method GET', { body: PAGE, method: 'GET' }, ['GET', null]],
  ] as const)('a %s action with %s', async (method, _, config, expected) => {
    const body = method === 'GET' ? {} : { body: action.body }
    const { sent } = await runAgainst(
      rows,
      { response_jsonpath: '$.d', ...config },
      { action: { ...action, method, ...body } },
    )
    expect(bodies(sent)[1]).toEqual(expected)
  })

  test('an empty pagination body keeps a body that is not an object', async () => {
    const { sent } = await runAgainst(
      rows,
      { response_jsonpath: '$.d', header: '{"X-Page": "{{ page }}"}', body: '{}' },
      {
        action: { ...action, body: 'plain text', headers: { 'Content-Type': 'text/plain' } },
      },
    )
    expect(bodies(sent)[1]).toEqual(['POST', 'plain text'])
    expect(sent[1]?.headers['content-type']).toBe('text/plain')
  })

  test('a form remains a form', async () => {
    const { sent } = await runAgainst(
      rows,
      { response_jsonpath: '$.d', body: PAGE },
      {
        action: {
          ...action,
          body: { q: 'a&b', page: 1 },
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      },
    )
    expect(bodies(sent).slice(0, 2)).toEqual([
      ['POST', 'q=a%26b&page=1'],
      ['POST', 'q=a%26b&page=2'],
    ])
  })
})

describe('headers', () => {
  test('are case-insensitive; null removes one, the others stay', async () => {
    const { sent } = await runAgainst(
      (_, count) => (count === 1 ? ids(1, 1) : []),
      { header: '{"x-a": "2", "X-NUMBER": {{ page * 100 }}, "If-None-Match": null}' },
      {
        action: { headers: { 'X-A': '1', 'if-none-match': 'e', 'X-Keep': 'k' } },
      },
    )
    expect(sent[0]?.headers).toMatchObject({ 'x-a': '1', 'if-none-match': 'e', 'x-keep': 'k' })
    expect(sent[1]?.headers).toMatchObject({ 'x-a': '2', 'x-number': '100', 'x-keep': 'k' })
    expect(sent[1]?.headers['if-none-match']).toBeUndefined()
  })

  test('of a response are read without case, by attribute and by subscript, with several lines joined', async () => {
    const answer = (_: Wire, count: number) =>
      count === 1
        ? { json: ids(1, 2), headers: { 'X-Next': 'n1', Link: ['<a>; rel="self"', '<b>; rel="next"'] } }
        : { json: ids(3, 3) }
    const { sent, records } = await runAgainst(answer, {
      query: `{"a": "{{ previous_request_headers['x-NEXT'] }}", "b": "{{ previous_request_headers.LINK }}"}`,
    })
    expect(sent[1]?.query).toEqual({ a: 'n1', b: '<a>; rel="self", <b>; rel="next"' })
    expect(records).toEqual(ids(1, 3))
  })

  test('user name and password in the base URL are sent as a header on every page', async () => {
    const { sent } = await runAgainst(
      (_, count) => (count === 1 ? ids(1, 1) : []),
      { query: PAGE },
      {
        action: (base) => ({ base: base.replace('http://', 'http://me:pass@') }),
      },
    )
    const basic = `Basic ${Buffer.from('me:pass').toString('base64')}`
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([basic, basic])
  })
})

describe('links', () => {
  const link =
    (next: (base: string) => string, count = 1) =>
    (_: Wire, received: number, base: string) =>
      received <= count
        ? { json: { d: ids(received, received), next: next(base) } }
        : { json: { d: ids(9, 9), next: null } }
  const LINK = { endpoint: '{{ previous_request.next }}', query: '{}', response_jsonpath: '$.d' }

  test.each<[string, (base: string) => string, string]>([
    ['absolute', (base) => `${base}/v1/items?cursor=b`, 'GET /v1/items {"cursor":"b"}'],
    ['from the root', () => '/other/items?cursor=b', 'GET /other/items {"cursor":"b"}'],
    ['a query alone', () => '?cursor=b', 'GET /v1/items {"cursor":"b"}'],
    ['relative', () => 'more?cursor=b', 'GET /v1/more {"cursor":"b"}'],
    [
      'with signs that are encoded',
      () => '?c=%2B%26%3D+a&page%5Bsize%5D=2',
      'GET /v1/items {"c":"+&= a","page[size]":"2"}',
    ],
    ['with signs that are not', () => '?c=[a]|b c', 'GET /v1/items {"c":"[a]|b c"}'],
    ['with a name twice', () => '?id=1&id=2', 'GET /v1/items {"id":["1","2"]}'],
    ['with a fragment', () => '?cursor=b#top', 'GET /v1/items {"cursor":"b"}'],
    [
      'in capitals',
      (base) => `${base.replace('http', 'HTTP')}/v1/items?cursor=b`,
      'GET /v1/items {"cursor":"b"}',
    ],
  ])('%s', async (_, next, expected) => {
    const { sent, error } = await runAgainst(link(next), LINK, { action: { endpoint: 'v1/items' } })
    expect(error).toBeUndefined()
    expect(brief(sent)[1]).toBe(expected)
  })

  test('from the Link header, extracted by the author or with `links`', async () => {
    const answer = (_: Wire, count: number, base: string) => ({
      json: ids(count, count),
      headers:
        count < 3 ? { Link: `<${base}/items?p=${count + 1}>; rel="next", <${base}/items>; rel="first"` } : {},
    })
    for (const endpoint of [
      '{{ links.next }}',
      `{{ previous_request_headers.Link.split('<', 1)[1].split('>')[0] if 'rel="next"' in previous_request_headers.Link else '' }}`,
    ]) {
      const { sent, records, stopReason } = await runAgainst(answer, { endpoint, query: '{}' })
      expect(brief(sent)).toEqual(['GET /items {}', 'GET /items {"p":"2"}', 'GET /items {"p":"3"}'])
      expect({ records, stopReason }).toEqual({ records: ids(1, 3), stopReason: 'no_next' })
    }
  })

  test('a relative one is resolved against the target of a redirect within the origin', async () => {
    const answer = (request: Wire) => {
      if (request.path === '/old/list') return { json: {}, status: 301, headers: { Location: '/new/list' } }
      return { json: request.query['c'] ? { d: ids(2, 2) } : { d: ids(1, 1), next: '?c=2' } }
    }
    const { sent } = await runAgainst(answer, LINK, { action: { endpoint: 'old/list' } })
    expect(brief(sent)).toEqual(['GET /old/list {}', 'GET /new/list {}', 'GET /new/list {"c":"2"}'])
  })

  test("the action's parameters are sent once: the link's win over them, the configuration's over both", async () => {
    const { sent } = await runAgainst(
      link(() => '?limit=5&cursor=b&x=1'),
      { ...LINK, query: '{"x": 2, "once": null}' },
      {
        action: { query: { limit: 2, view: 'v', once: 1 } },
      },
    )
    expect(sent[1]?.query).toEqual({ limit: '5', cursor: 'b', view: 'v', x: '2' })
  })

  test.each([
    'https://evil.test/items',
    '//evil.test/items',
    'http://user@evil.test/',
    '\\\\evil.test\\',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://169.254.169.254/latest',
  ])('%s is rejected and nothing more is sent', async (next) => {
    const { sent, error, records } = await runAgainst(
      link(() => next),
      LINK,
    )
    expect(error).toMatchObject({ code: 'cross_origin_link', page: 1, partial_count: 1, field: 'endpoint' })
    expect({ requests: sent.length, records }).toEqual({ requests: 1, records: ids(1, 1) })
  })

  test('another origin is called with the credentials if it is allowed', async () => {
    const other = await runAgainst(() => ({ json: { d: ids(2, 2), next: null } }), { query: PAGE })
    const config = { ...LINK, allowed_origins: [other.base] }
    const { error, records } = await runAgainst(
      link(() => `${other.base}/more`),
      config,
      {
        action: { headers: { Authorization: 'Bearer T' } },
      },
    )
    expect(error).toBeUndefined()
    expect(records).toEqual([...ids(1, 1), ...ids(2, 2)])
    expect(other.sent.at(-1)?.headers.authorization).toBe('Bearer T')
  })
})

describe('an endpoint that the author builds', () => {
  test.each([
    ['more', 'GET /v1/more {"p":"1"}'],
    ['/more', 'GET /v1/more {"p":"1"}'],
    ['/v1/more', 'GET /v1/more {"p":"1"}'],
    ['{{ endpoint }}/next', 'GET /v1/items/next {"p":"1"}'],
    ["{{ endpoint ~ '/' ~ page }}", 'GET /v1/items/1 {"p":"1"}'],
    ['pages/{{ previous_request.id }}', 'GET /v1/pages/7 {"p":"1"}'],
    ["{{ '/pages/' ~ previous_request.id }}", 'GET /v1/pages/7 {"p":"1"}'],
    ['?q={{ previous_request.id }}', 'GET /v1/items {"q":"7","p":"1"}'],
  ])('%s', async (endpoint, expected) => {
    const answer = (_: Wire, count: number) => ({ json: count === 1 ? { d: ids(1, 1), id: 7 } : { d: [] } })
    const config = { endpoint, query: '{"p": {{ page }}}', response_jsonpath: '$.d' }
    const { sent } = await runAgainst(answer, config, { action: (base) => ({ base: `${base}/v1` }) })
    expect(brief(sent)[1]).toBe(expected)
  })
})

test("a redirect to another host carries none of the connector's data, and is followed", async () => {
  const other = await runAgainst(() => ids(1, 1), { query: PAGE })
  const { sent, records } = await runAgainst(
    (_, count) => (count < 3 ? { json: {}, status: 307, headers: { Location: `${other.base}/moved` } } : []),
    { body: PAGE, replace_body: true },
    {
      action: {
        method: 'POST',
        body: { secret: 1 },
        headers: { Authorization: 'Bearer T', 'X-Tenant': 't' },
      },
    },
  )
  expect(sent).toHaveLength(2)
  const moved = other.sent.filter(({ path }) => path === '/moved')
  expect(
    moved.map(({ headers, body }) => [
      headers.authorization,
      headers['x-tenant'],
      headers['content-type'],
      body,
    ]),
  ).toEqual([
    [undefined, undefined, undefined, null],
    [undefined, undefined, undefined, null],
  ])
  expect(records).toEqual(ids(1, 1))
})

test('CURSOR has the usual shape', async () => {
  const { records, stopReason, sent } = await runAgainst(twoPages('x'), CURSOR)
  expect({ records, stopReason, requests: sent.length }).toEqual({
    records: ids(1, 4),
    stopReason: 'no_next',
    requests: 2,
  })
})
