/** Keys beyond the specification. Each example is part of the documentation of its key. */
import { describe, expect, test } from 'vitest'
import { ids, type Reply, runAgainst, type Wire } from '../../helpers/pagination.ts'

const PAGE = '{"page": {{ page + 1 }}}'
const pages = (_: Wire, count: number): Reply => (count < 5 ? ids(count * 2 - 1, count * 2) : [])

describe('stop_when', () => {
  test.each([
    ['page == 3', 3],
    ['{{ count >= 4 }}', 2],
    ['previous_request[-1].id == 6', 3],
    ['false', 5],
  ])('%s', async (stop_when, requests) => {
    const { sent, stopReason } = await runAgainst(pages, { query: PAGE, stop_when })
    expect({ requests: sent.length, stopReason }).toEqual({
      requests,
      stopReason: requests === 5 ? 'no_records' : 'no_next',
    })
  })

  test('reading the response does not turn a page number into a cursor', async () => {
    const answer = (_: Wire, count: number): Reply => ({
      json: { d: count < 3 ? ids(count, count) : [], done: false },
    })
    const { sent } = await runAgainst(answer, {
      query: PAGE,
      response_jsonpath: '$.d',
      stop_when: 'previous_request.done',
    })
    expect(sent).toHaveLength(3)
  })
})

test('method: a page is fetched with a method other than GET or POST', async () => {
  const { sent } = await runAgainst((_, count) => (count === 1 ? ids(1, 1) : []), {
    body: PAGE,
    method: 'PUT',
  })
  expect(sent.map(({ method, body }) => [method, body])).toEqual([
    ['GET', null],
    ['PUT', { page: 2 }],
  ])
})

test('count and last_record: keyset paging based on what was read so far', async () => {
  const answer = ({ query }: Wire): Reply =>
    ids(Number(query['after'] ?? 0) + 1, Math.min(5, Number(query['after'] ?? 0) + 2))
  const { sent, records } = await runAgainst(answer, {
    query: '{"after": {{ last_record.id }}, "offset": {{ count }}}',
  })
  expect(records).toEqual(ids(1, 5))
  expect(sent.map(({ query }) => query)).toEqual([
    {},
    { after: '2', offset: '2' },
    { after: '4', offset: '4' },
    { after: '5', offset: '5' },
  ])
})

test('last_record is kept across a page without records', async () => {
  const answer = (_: Wire, count: number): Reply => ({
    json: { d: count === 2 ? [] : ids(count, count), next: count < 4 ? `c${count}` : null },
  })
  const { sent } = await runAgainst(answer, {
    query: '{"c": "{{ previous_request.next }}", "after": {{ last_record.id }}}',
    response_jsonpath: '$.d',
  })
  expect(sent.map(({ query }) => query['after'])).toEqual([undefined, '1', '1', '3'])
})

test('links: absolute targets of the Link header by relation', async () => {
  const answer = (_: Wire, count: number): Reply => ({
    json: ids(count, count),
    headers: count === 1 ? { Link: ['</items?p=1>; rel="self"', '<?p=2>; rel="next"'] } : {},
  })
  const { sent, records } = await runAgainst(answer, { endpoint: '{{ links.next }}', query: '{}' })
  expect({ records, query: sent[1]?.query }).toEqual({ records: ids(1, 2), query: { p: '2' } })
})

describe('retry_when', () => {
  const busy = (_: Wire, count: number): Reply =>
    count === 1 || count === 3 ? { json: { busy: true } } : { json: { d: count === 2 ? ids(1, 1) : [] } }

  test('a good response that means failure is requested again, including the first', async () => {
    const { records, sent, events } = await runAgainst(busy, {
      query: PAGE,
      response_jsonpath: '$.d',
      retry_when: 'previous_request.busy',
    })
    expect({ records, requests: sent.length }).toEqual({ records: ids(1, 1), requests: 4 })
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(2)
  })

  test('that always holds is an error', async () => {
    const { error, sent } = await runAgainst(() => ({ json: { busy: true } }), {
      query: PAGE,
      response_jsonpath: '$.d',
      retry_when: 'previous_request.busy',
    })
    expect({ code: error?.code, status: error?.status, requests: sent.length }).toEqual({
      code: 'http_error',
      status: 200,
      requests: 5,
    })
    expect(error?.message).toContain('retry_when matched the response, tried 5 times: {"busy":true}')
  })
})

test('max_pages cuts the list, with a warning', async () => {
  const { records, warnings } = await runAgainst(pages, { query: PAGE, max_pages: 2 })
  expect({ records, warnings }).toEqual({ records: ids(1, 4), warnings: ['cut_by_max_pages'] })
})

describe('first_request', () => {
  test('applies to the first call too, with page = 0', async () => {
    const answer = ({ query }: Wire): Reply =>
      Number(query['page']) < 3 ? ids(Number(query['page']), Number(query['page'])) : []
    const { sent, records } = await runAgainst(
      answer,
      { query: PAGE, first_request: true },
      { action: { query: { q: 'x' } } },
    )
    expect(sent.map(({ query }) => query)).toEqual([1, 2, 3].map((page) => ({ q: 'x', page: String(page) })))
    expect(records).toEqual(ids(1, 2))
  })

  test('a cursor that does not exist yet is left out, and the endpoint is the action’s own', async () => {
    const answer = (_: Wire, count: number): Reply => ({
      json: { d: ids(count, count), next: count === 1 ? 'a' : '' },
    })
    const { sent } = await runAgainst(answer, {
      first_request: true,
      endpoint: "{{ previous_request.next ~ '/more' if previous_request.next else '' }}",
      query:
        '{"limit": 2, "cursor": "{{ previous_request.next }}", "c": "{{ previous_request.next if previous_request.next else \'\' }}"}',
      response_jsonpath: '$.d',
    })
    expect(sent.map(({ path, query }) => [path, query])).toEqual([
      ['/items', { limit: '2' }],
      ['/a/more', { limit: '2', cursor: 'a', c: 'a' }],
    ])
  })

  test('the caller can ask for it, as a remote search does', async () => {
    const { sent } = await runAgainst(
      () => [],
      { query: '{"q": "{{ q }}"}' },
      { appliesToFirst: true, variables: { q: 'a&b' } },
    )
    expect(sent.map(({ query }) => query)).toEqual([{ q: 'a&b' }])
  })
})

test('dedupe_by leaves out records whose key was already seen', async () => {
  const overlapping = (_: Wire, count: number): Reply =>
    count < 4 ? [...ids(count, count + 2), { name: 'no id' }] : []
  const { records, sent } = await runAgainst(overlapping, { query: PAGE, dedupe_by: 'id' })
  expect(records).toEqual([
    ...ids(1, 3),
    { name: 'no id' },
    ...ids(4, 4),
    { name: 'no id' },
    ...ids(5, 5),
    { name: 'no id' },
  ])
  expect(sent).toHaveLength(4)
})

test('dedupe_by keeps records whose keys were built to collide, and short and long keys apart', async () => {
  // Both pairs have the same 53-bit hash.
  const keys = [
    ' Qab',
    ' *a\u3629',
    ' \u0116ab',
    ' \u0086a\u9412',
    'x'.repeat(500),
    `${'x'.repeat(499)}y`,
    1,
    '1',
  ]
  const records = keys.map((id) => ({ id }))
  const { records: read } = await runAgainst((_, count) => (count <= 2 ? records.slice(0, count * 4) : []), {
    query: PAGE,
    dedupe_by: 'id',
  })
  expect(read).toEqual(records)
})

test('pages above 100 records give a warning, based on the rendered value', async () => {
  const { warnings } = await runAgainst((_, count) => (count === 1 ? ids(1, 1) : []), {
    query: '{"limit": {{ 50 * 4 }}, "page": {{ page }}}',
  })
  expect(warnings).toEqual(['page_size'])
  const fine = await runAgainst((_, count) => (count === 1 ? ids(1, 1) : []), {
    query: '{"limit": 100, "count": 500}',
  })
  expect(fine.warnings).toEqual([])
})

describe('when', () => {
  const answer = ({ query }: Wire): Reply => ({
    json: { a: ids(1, 1), b: ids(2, 2), kind: 'b', last: Object.keys(query).join() === 'x' },
  })

  test('is evaluated before each call, with its page and the previous response', async () => {
    const { sent } = await runAgainst(
      (_, count) => ({
        json: {
          d: ids(count, count),
          style: count < 3 ? 'page' : 'cursor',
          next: count < 4 ? `c${count}` : null,
        },
      }),
      [
        {
          when: "previous_request.style == 'cursor'",
          query: '{"cursor": "{{ previous_request.next }}"}',
          response_jsonpath: '$.d',
        },
        { query: PAGE, response_jsonpath: '$.d' },
      ],
    )
    expect(sent.map(({ query }) => query)).toEqual([{}, { page: '2' }, { page: '3' }, { cursor: 'c3' }])
  })

  test('reads the first response with the configuration it selects for page 1', async () => {
    const { records } = await runAgainst(answer, [
      { when: "previous_request.kind == 'a'", query: PAGE, response_jsonpath: '$.a' },
      { when: "previous_request.kind == 'b' and page == 1", query: PAGE, response_jsonpath: '$.b' },
    ])
    expect(records).toEqual(ids(2, 2))
  })

  test.each([
    '',
    ' ',
    'false',
    '0',
    'none',
    '[]',
    '{}',
    '{{ [] }}',
    "{{ '' }}",
    '{{ 0 }}',
    '{{ none }}',
    '{{ false }}',
    '{% if page > 5 %}yes{% endif %}',
  ])('%j does not hold', async (when) => {
    const { sent } = await runAgainst(
      (_, count) => (count === 1 ? ids(1, 1) : []),
      [{ when, query: '{"wrong": 1}' }, { query: PAGE }],
    )
    expect(sent[1]?.query).toEqual({ page: '2' })
  })

  test('also applies to a single configuration', async () => {
    const { warnings, sent } = await runAgainst(() => ids(1, 1), { when: "endpoint == 'other'", query: PAGE })
    expect({ warnings, requests: sent.length }).toEqual({ warnings: ['no_config_matched'], requests: 1 })
  })

  test('can read the auth, the input and variables', async () => {
    const { sent } = await runAgainst(
      (_, count) => (count === 1 ? ids(1, 1) : []),
      [{ when: "auth.region == 'eu' and input.deep and TENANT", query: '{"t": "{{ TENANT }}"}' }],
      {
        variables: { auth: { region: 'eu' }, input: { deep: true }, TENANT: 't1' },
      },
    )
    expect(sent[1]?.query).toEqual({ t: 't1' })
  })
})

test('response_jsonpath is rendered with the page and the previous response of its own call', async () => {
  const answer = (_: Wire, count: number): Reply => ({
    json: { [`p${count - 1}`]: count < 4 ? ids(count, count) : [], next: `p${count}` },
  })
  const { records } = await runAgainst(answer, { query: PAGE, response_jsonpath: '$.p{{ page }}' })
  expect(records).toEqual(ids(1, 3))
  const named = await runAgainst(answer, {
    query: '{"page": {{ page }}}',
    response_jsonpath: "$.{{ previous_request.next | default('p0') }}",
    max_pages: 3,
  })
  expect(named.records).toEqual(ids(1, 3))
})
