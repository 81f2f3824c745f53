import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../../packages/jinja/src/data/json.ts'
import { type Data, dictionaryOf } from '../../../../packages/jinja/src/data/value.ts'
import { checkPaginationConfig, suggestPagination } from '../../../../src/main/engine/pagination/index.ts'

interface Given {
  readonly url?: string
  readonly method?: string
  readonly sent?: Data
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly sentHeaders?: Record<string, string>
  readonly body: unknown
}

const records = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }))

function suggest({
  url = 'https://api.test/v1/things',
  method = 'GET',
  sent = null,
  sentHeaders = {},
  ...answer
}: Given) {
  const address = new URL(url)
  return suggestPagination({
    request: {
      url: address,
      method,
      query: dictionaryOf(address.searchParams),
      headers: Object.entries(sentHeaders),
      body: sent,
      endpoint: 'things',
    },
    response: {
      status: answer.status ?? 200,
      headers: Object.entries(answer.headers ?? {}),
      body: parseJson(JSON.stringify(answer.body)),
    },
  })
}

const first = (given: Given) => suggest(given).suggestions[0]

describe('the evidence in a response and the configuration written for it', () => {
  const next = 'https://api.test/v1/things?cursor=b'
  const cases: [name: string, given: Given, config: object][] = [
    ['links.next', { body: { data: records(3), links: { next } } }, link('previous_request.links.next')],
    ['next', { body: { results: records(3), next } }, link('previous_request.next', '$.results')],
    ['relative next', { body: { data: records(3), next: '?page=2' } }, link('previous_request.next')],
    ['_links.next.href', hal(next), leftOut(link('previous_request._links.next.href'))],
    [
      'next_page_url',
      { body: { data: records(3), next_page_url: '/v1/things?page=2' } },
      link('previous_request.next_page_url'),
    ],
    [
      '@odata.nextLink',
      { body: { value: records(3), '@odata.nextLink': next } },
      leftOut(link("previous_request['@odata.nextLink']", '$.value')),
    ],
    [
      'paging.next.link',
      { body: { data: records(3), paging: { next: { link: next } } } },
      link('previous_request.paging.next.link'),
    ],
    [
      'nextPageToken',
      { body: { items: records(3), nextPageToken: 'b' } },
      query('pageToken', 'previous_request.nextPageToken', '$.items'),
    ],
    [
      'nested nextToken',
      { body: { result: { nextToken: 'b', rows: records(3) } } },
      query('nextToken', 'previous_request.result.nextToken', '$.result.rows'),
    ],
    [
      'a cursor and has_more',
      { body: { data: records(3), cursor: 'b', has_more: true } },
      query('cursor', "previous_request.cursor if previous_request.has_more else ''"),
    ],
    [
      'meta.next_token',
      { body: { data: records(3), meta: { next_token: 'b' } } },
      query('pagination_token', 'previous_request.meta.next_token'),
    ],
    [
      'numeric next_page',
      { body: { data: records(3), next_page: 2 } },
      query('page', 'previous_request.next_page'),
    ],
    [
      'offset and has_more',
      { body: { data: records(3), offset: 0, has_more: true } },
      counted('offset', 'count', 'not previous_request.has_more'),
    ],
    [
      'page and isLast',
      { body: { data: records(3), page: 1, isLast: false } },
      counted('page', 'page + 1', 'previous_request.isLast'),
    ],
    [
      'a first call that begins further on',
      { url: 'https://api.test/v1/things?offset=50', body: { data: records(3), total: 90 } },
      counted(
        'offset',
        'count + 50',
        'previous_request.total and count + 50 >= previous_request.total | int',
      ),
    ],
    ['numeric next', { body: { data: records(3), next: 2 } }, query('page', 'previous_request.next')],
    [
      'the cursor of the request, repeated',
      {
        url: 'https://api.test/v1/things?cursor=a',
        body: { data: records(3), cursor: 'a', next_cursor: 'b' },
      },
      query('cursor', 'previous_request.next_cursor'),
    ],
    [
      'has_more alone',
      { body: { data: records(3), has_more: true } },
      query('starting_after', "previous_request.data[-1].id if previous_request.has_more else ''"),
    ],
    [
      'a key named as a method',
      { body: { items: records(3), has_more: true } },
      query(
        'starting_after',
        "previous_request['items'][-1].id if previous_request.has_more else ''",
        '$.items',
      ),
    ],
    [
      'X-Next-Page',
      { body: records(3), headers: { 'x-next-page': '2' } },
      query('page', "previous_request_headers['X-Next-Page']", '$'),
    ],
    [
      'X-Total-Pages',
      { body: records(3), headers: { 'x-total-pages': '9' } },
      counted(
        'page',
        'page + 1',
        "previous_request_headers['X-Total-Pages'] and page >= previous_request_headers['X-Total-Pages'] | int",
        '$',
      ),
    ],
    [
      'page and total_pages',
      { body: { data: records(3), meta: { page: 1, total_pages: 4 } } },
      counted(
        'page',
        'page + 1',
        'previous_request.meta.total_pages and page >= previous_request.meta.total_pages | int',
      ),
    ],
    [
      'Spring, counted from 0',
      { body: { content: records(20), number: 0, totalPages: 4 } },
      counted(
        'page',
        'page',
        'previous_request.totalPages and page >= previous_request.totalPages | int',
        '$.content',
      ),
    ],
    [
      'offset and total',
      { body: { data: records(3), offset: 0, limit: 3, total: 9 } },
      counted('offset', 'count', 'previous_request.total and count >= previous_request.total | int'),
    ],
    [
      'SCIM, counted from 1',
      { body: { Resources: records(3), startIndex: 1, totalResults: 9 } },
      counted(
        'startIndex',
        'count + 1',
        'previous_request.totalResults and count >= previous_request.totalResults | int',
        '$.Resources',
      ),
    ],
    [
      'X-Total-Count with limit',
      { url: 'https://api.test/v1/things?limit=3', body: records(3), headers: { 'x-total-count': '9' } },
      counted(
        'offset',
        'count',
        "previous_request_headers['X-Total-Count'] and count >= previous_request_headers['X-Total-Count'] | int",
        '$',
      ),
    ],
    [
      'skip in the request',
      { url: 'https://api.test/v1/things?limit=3&skip=0', body: { data: records(3) } },
      { query: '{"skip": {{ count }}}', response_jsonpath: '$.data' },
    ],
    [
      'page in the request',
      { url: 'https://api.test/v1/things?page=0', body: { data: records(3) } },
      { query: '{"page": {{ page }}}', response_jsonpath: '$.data' },
    ],
    [
      'per_page, a guess',
      { url: 'https://api.test/v1/things?per_page=3', body: records(3) },
      { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$' },
    ],
    [
      'from and size in a body',
      {
        method: 'POST',
        sent: dictionaryOf([
          ['from', 0],
          ['size', 3],
        ]),
        body: { data: records(3), total: 9 },
      },
      {
        body: '{"from": {{ count }}}',
        stop_when: 'previous_request.total and count >= previous_request.total | int',
        response_jsonpath: '$.data',
      },
    ],
    ['GraphQL', graphql(), graphqlConfig()],
    [
      'a number that follows a repeated one goes where that one came from',
      { url: 'https://api.test/v1/things?size=3', body: { data: records(3), meta: { start: 1, next: 4 } } },
      query('start', 'previous_request.meta.next'),
    ],
    [
      'a number that follows the requested page',
      { url: 'https://api.test/v1/things?pg=1', body: { data: records(3), next: 2 } },
      query('pg', 'previous_request.next'),
    ],
    [
      'the number of records to skip, under the name of a page',
      { body: { data: records(3), nextPageSkip: 3 } },
      query('skip', 'previous_request.nextPageSkip'),
    ],
    [
      'next in an object that is named as the cursor',
      { body: { data: records(3), cursor: { next: 'b', hasNext: true } } },
      query('cursor', "previous_request.cursor.next if previous_request.cursor.hasNext else ''"),
    ],
    [
      'next_page_start_id',
      { body: { data: records(3), pagination: { next_page_start_id: 'b' } } },
      query('page_start_id', 'previous_request.pagination.next_page_start_id'),
    ],
    [
      'a header with a cursor, its words run together',
      { url: 'https://api.test/v1/things?rowCount=3', body: records(3), headers: { nextpagetoken: 'b' } },
      query('pageToken', "previous_request_headers['nextpagetoken']", '$'),
    ],
    [
      "a header with a cursor under the vendor's name",
      { body: records(3), headers: { 'x-files-cursor-next': 'b' } },
      query('cursor', "previous_request_headers['x-files-cursor-next']", '$'),
    ],
    [
      'a page size in a header, and a cursor in one',
      { sentHeaders: { 'X-Limit': '3' }, body: { data: records(3) }, headers: { 'x-next-token': 'b' } },
      {
        header: `{"x-next-token": "{{ previous_request_headers['x-next-token'] }}"}`,
        response_jsonpath: '$.data',
      },
    ],
    [
      'a link that leaves out the beginning of the path',
      { body: { data: records(3), next: '/things?page=2' } },
      {
        ...link('previous_request.next'),
        endpoint: "{{ '?' ~ previous_request.next.split('?')[1] if previous_request.next else '' }}",
      },
    ],
    [
      'names with a dot, written as the page size',
      {
        url: 'https://api.test/v1/things?parameters.take=3',
        body: { data: records(3), paging: { Skip: 0, Total: 9 } },
      },
      counted(
        'parameters.skip',
        'count',
        'previous_request.paging.Total and count >= previous_request.paging.Total | int',
      ),
    ],
    [
      'how many to take goes with how many to skip',
      {
        url: 'https://api.test/v1/things?take=3',
        body: { data: records(3), paging: { currentPage: 1, totalItems: 9 } },
      },
      counted(
        'skip',
        'count',
        'previous_request.paging.totalItems and count >= previous_request.paging.totalItems | int',
      ),
    ],
    [
      'a list of links beside the records, whatever it is called',
      {
        url: 'https://api.test/v1/things?limit=3&offset=0',
        body: {
          set: {
            thing: records(3),
            meta: { total: 9, link: [{ '@Href': 'https://api.test/', '@Rel': 'self' }] },
          },
        },
      },
      counted(
        'offset',
        'count',
        'previous_request.set.meta.total and count >= previous_request.set.meta.total | int',
        '$.set.thing',
      ),
    ],
    ...['startNum', 'first_row', 'beginIndex'].map((name): [string, Given, object] => [
      `${name}=0 in the request`,
      { url: `https://api.test/v1/things?${name}=0`, body: { data: records(3) } },
      { query: `{"${name}": {{ count }}}`, response_jsonpath: '$.data' },
    ]),
    [
      'pageStart=0 in the request',
      { url: 'https://api.test/v1/things?pageStart=0&pageSize=3', body: records(3) },
      { query: '{"pageStart": {{ page }}}', response_jsonpath: '$' },
    ],
  ]

  test.for(cases)('%s', ([, given, config]) => {
    const suggestion = first(given)
    expect(suggestion?.config).toEqual(config)
    expect(checkPaginationConfig(suggestion?.config as Data, []).problems).toEqual([])
  })
})

test('a reason names the key or the header and its value', () => {
  expect([
    first({ body: { data: [{ id: 1 }], next_cursor: 'abc' } })?.reason,
    first({ body: [{ id: 1 }], headers: { link: '<?page=2>; rel="next"' } })?.reason,
    first({ body: { data: [{ id: 1 }], next: 'https://other.test/x' } })?.reason,
  ]).toEqual([
    'The key "next_cursor" holds the cursor of the next page, "abc", which is sent in the parameter "cursor"',
    'The header "Link" names the next page: rel="next" is "https://api.test/v1/things?page=2"',
    'The key "next" holds the URL of the next page: "https://other.test/x". It is on another origin, which doesn\'t receive credentials unless "allowed_origins" contains https://other.test',
  ])
})

test('the reason of a guess names the parameter, so that guesses of the same style can be told apart', () => {
  const guessed = suggest({ body: records(10) }).suggestions.map(
    ({ reason }) => /"(\w+)" is a guess/.exec(reason)?.[1],
  )
  expect(guessed).toEqual(['page', 'offset', 'skip', 'start', 'from'])
})

test('parameters that a cursor link omits are removed, except credentials; a counting link keeps them', () => {
  const url = 'https://api.test/v1/things?status=open&api_key=k&limit=3'
  const queryFor = (next: string) => first({ url, body: { data: records(3), next } })?.config.query
  expect([queryFor('?cursor=b&limit=3'), queryFor('?page=2')]).toEqual(['{"status": null}', '{}'])
})

test('a link may be absent only where the response shows that links to other pages are left out', () => {
  const mayBeAbsent = (body: object) =>
    first({ body: { data: records(3), ...body } })?.config.cursor_may_be_absent
  const next = 'https://api.test/v1/things?cursor=b'
  expect([
    mayBeAbsent({ links: { self: next, next } }),
    mayBeAbsent({ links: { self: next, next, prev: null } }),
    mayBeAbsent({ links: { next } }),
    mayBeAbsent({ next }),
    mayBeAbsent({ next_cursor: 'b' }),
    mayBeAbsent({ links: { self: next, next: null } }),
  ]).toEqual([true, undefined, undefined, undefined, undefined, undefined])
})

test('the list with the records is chosen among several', () => {
  const pathOf = (body: object) => first({ body: { ...body, next_cursor: 'b' } })?.config.response_jsonpath
  expect([
    pathOf({ errors: records(9), rows: records(2) }),
    pathOf({ included: records(90), data: records(2) }),
    pathOf({ ids: [1, 2, 3, 4], people: records(2) }),
    pathOf({ things: [], tags: ['a'] }),
    pathOf({ response: { 'the things': records(2) } }),
  ]).toEqual(['$.rows', '$.data', '$.people', '$.things', "$.response['the things']"])
})

test('certain is only what names the parameter of the next call', () => {
  const at = (query: string, body: object) =>
    first({ url: `https://api.test/v1/things?${query}`, body: { data: records(3), ...body } })?.confidence
  expect({
    'so many per page, and the number of pages': at('per_page=3', { meta: { page_count: 4 } }),
    'a page size, and the number of pages': at('pageSize=3', { meta: { page_count: 4 } }),
    'page and offset, with a limit and the number of pages': at('limit=3', {
      page: 1,
      offset: 0,
      totalPages: 4,
    }),
    'the cursor at the end of the page': at('limit=3', { meta: { end_cursor: 'b', has_next_page: true } }),
  }).toEqual({
    'so many per page, and the number of pages': 'high',
    'a page size, and the number of pages': 'medium',
    'page and offset, with a limit and the number of pages': 'medium',
    'the cursor at the end of the page': 'medium',
  })
})

test('a total that the API has not counted to its end is no end', () => {
  const hits = (relation: string) => ({
    url: 'https://api.test/v1/things?size=3',
    body: { hits: { total: { value: 10_000, relation }, hits: records(3) } },
  })
  expect(['eq', 'gte'].map((relation) => first(hits(relation))?.config.stop_when)).toEqual([
    'previous_request.hits.total.value and count >= previous_request.hits.total.value | int',
    undefined,
  ])
})

test('a parameter is named by an object that repeats the request, and by no position within the page', () => {
  const echoed = first({
    url: 'https://api.test/v1/things?query=x&pageSize=3',
    body: {
      currentPage: 1,
      totalPages: 4,
      criteria: { query: 'x', pageNumber: 1, pageSize: 3 },
      foods: records(3),
    },
  })
  const ends = first({
    url: 'https://api.test/v1/things?limit=3',
    body: { data: records(3), pagination: { hasNextPage: true, startCursor: null, endCursor: 'b' } },
  })
  const bracketed = (key: string) =>
    first({
      url: 'https://api.test/v1/things?page[size]=3',
      body: { data: records(3), pagination: { [key]: 'b' } },
    })?.confidence
  expect({
    echoed: echoed?.config.query,
    ends: ends?.config.query,
    bracketed: [bracketed('next'), bracketed('next_cursor')],
  }).toEqual({
    echoed: expect.stringContaining('"pageNumber"') as string,
    ends: expect.stringContaining('"after"') as string,
    bracketed: ['medium', 'high'],
  })
})

test('from the last page, the suggestion has less confidence and says so', () => {
  const seen = [
    { body: { data: records(1), next_cursor: null } },
    { body: { data: records(1), links: { next: null } } },
    { body: { data: records(1), has_more: false } },
    { body: records(1), headers: { link: '<?page=1>; rel="prev"' } },
  ].map((given) => first(given))
  expect(seen.map((suggestion) => [suggestion?.style, suggestion?.confidence])).toEqual([
    ['cursor', 'medium'],
    ['next_address', 'low'],
    ['last_record', 'low'],
    ['link_header', 'medium'],
  ])
  expect(seen.every((suggestion) => suggestion?.reason.includes('this page is the last one'))).toBe(true)
})

test('if nothing is recognized, nothing is suggested and a sentence says what to try', () => {
  const given: Given[] = [
    { body: { data: records(3) } },
    { body: { name: 'Ada' } },
    { body: null },
    { body: { error: 'no' }, status: 401 },
  ]
  expect(given.map((each) => suggest(each)).map(({ suggestions, advice }) => [suggestions, advice])).toEqual([
    [[], expect.stringContaining('its 3 records may be the whole list')],
    [[], expect.stringContaining("doesn't contain a list")],
    [[], expect.stringContaining("doesn't contain a list")],
    [[], expect.stringContaining('has status 401')],
  ])
})

test('keys that would become part of a template or a path are never written', () => {
  const named = suggest({ body: records(3), headers: { "x-next'-cursor": 'a', "x-next'-url": '/x?page=2' } })
  expect(named.suggestions.filter(({ style }) => style === 'cursor' || style === 'link_header')).toEqual([])
  const hostile = { "a'] }}{{ env": { next_cursor: 'b', rows: records(3) }, __proto__x: 1 }
  expect(suggest({ body: hostile }).suggestions).toEqual([])
})

test('a huge and deep response is analyzed', () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key${index}`, { a: [1] }]))
  const url = new URL('https://api.test/')
  const body = parseJson(JSON.stringify({ data: records(20_000), wide, next: '/'.repeat(9_000) }))
  const { suggestions } = suggestPagination({
    request: { url, method: 'GET', query: dictionaryOf([]), headers: [], body: null, endpoint: '' },
    response: { status: 200, headers: [['link', '<'.repeat(9_000)]], body },
  })
  expect(suggestions.length).toBeLessThan(20)
})

function link(expression: string, path = '$.data') {
  return { endpoint: `{{ ${expression} }}`, query: '{}', response_jsonpath: path }
}

/** The first response shows that the API leaves out absent values. */
const leftOut = (config: object) => ({ ...config, cursor_may_be_absent: true })

function query(parameter: string, expression: string, path = '$.data') {
  return { query: `{"${parameter}": "{{ ${expression} }}"}`, response_jsonpath: path }
}

function counted(parameter: string, expression: string, end: string, path = '$.data') {
  return { query: `{"${parameter}": {{ ${expression} }}}`, stop_when: end, response_jsonpath: path }
}

function hal(href: string): Given {
  return { body: { data: records(3), _links: { next: { href }, self: { href: 'https://api.test/' } } } }
}

function graphql(): Given {
  const edges = records(3).map((node) => ({ cursor: 'c', node }))
  return {
    method: 'POST',
    sent: dictionaryOf([
      ['query', 'query($n: Int, $at: String) { people(first: $n, after: $at) { edges { node { id } } } }'],
      ['variables', dictionaryOf([['n', 3]])],
    ]),
    body: { data: { people: { edges, pageInfo: { endCursor: 'c', hasNextPage: true } } } },
  }
}

function graphqlConfig() {
  const place = 'previous_request.data.people.pageInfo'
  return {
    body: `{"variables": {"n": 3, "at": "{{ ${place}.endCursor if ${place}.hasNextPage else '' }}"}}`,
    response_jsonpath: '$.data.people.edges[*].node',
  }
}

test('a header that says how long to wait is no cursor', () => {
  const { suggestions } = suggest({
    body: { data: records(3), next_cursor: 'b' },
    headers: { 'Retry-After': '0', 'x-ratelimit-reset-after': '1' },
  })
  expect(suggestions.filter(({ reason }) => /retry|ratelimit/i.test(reason))).toEqual([])
})
