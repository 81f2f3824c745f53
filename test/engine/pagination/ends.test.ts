/** When a list ends, and what is an error rather than its end. */
import { describe, expect, test } from 'vitest'
import type { Data } from '../../../packages/jinja/src/data/value.ts'
import { ids, type Reply, runAgainst, type Wire } from '../../helpers/pagination.ts'
import { createTestTime } from '../../helpers/test-time.ts'

const COUNTED: Data = { response_jsonpath: '$.d', query: '{"page": {{ page + 1 }}}' }
const CURSOR: Data = { response_jsonpath: '$.d', query: '{"cursor": "{{ previous_request.next }}"}' }
const pageOf = ({ query }: Wire) => Number(query['page'] ?? 1)
const json = (value: unknown, status = 200, headers = {}): Reply => ({ json: value, status, headers })

describe('a response that reports a failure', () => {
  test.each<[string, unknown, string]>([
    ['an error without the list', { error: 'boom' }, 'boom'],
    ['errors beside a null list', { errors: [{ message: 'no luck' }], d: null }, 'no luck'],
    ['ok: false', { ok: false, message: 'not in channel' }, 'not in channel'],
    ['success: false', { success: false }, 'that it failed'],
    ['successful: false', { successful: false, code: 17 }, '17'],
    ['a status in words', { status: 'ERROR', detail: 'broken' }, 'broken'],
  ])('%s is an error, never the end', async (_, body, says) => {
    for (const config of [COUNTED, CURSOR]) {
      const { error, records } = await runAgainst(
        (_request, count) => json(count === 2 ? body : { d: ids(count, count), next: 'b' }),
        config,
      )
      expect(error).toMatchObject({
        code: 'error_in_answer',
        page: 1,
        partial_count: 1,
        message: expect.stringContaining(says),
      })
      expect(records).toEqual(ids(1, 1))
    }
  })

  test.each<[string, object]>([
    ['an empty error', { error: '', errors: [], ok: true, d: [] }],
    ['an error beside an empty list', { error: 'partial', d: [] }],
    ['a status that is none of these', { status: 'done', d: null }],
  ])('%s ends the list', async (_, body) => {
    const { error, stopReason } = await runAgainst(
      (request) => json(pageOf(request) === 2 ? body : { d: ids(1, 1) }),
      COUNTED,
    )
    expect({ error, stopReason }).toEqual({ error: undefined, stopReason: 'no_records' })
  })

  test('is requested again if it names a rate limit', async () => {
    const { clock, sleep, slept } = createTestTime()
    const { records, error, events } = await runAgainst(
      (request, count) =>
        json(
          count === 2
            ? { ok: false, error: 'ratelimited', retry_after: 30 }
            : { d: pageOf(request) < 3 ? ids(pageOf(request), pageOf(request)) : [] },
        ),
      COUNTED,
      { ports: { clock, sleep } },
    )
    expect({ records, error, slept }).toEqual({ records: ids(1, 2), error: undefined, slept: [30_000] })
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'retry',
        reason: 'The response reports a rate limit',
        wait_ms: 30_000,
      }),
    )
  })
})

describe('statuses', () => {
  test('in ends_on_status end a list after its first page, without another attempt', async () => {
    const { records, stopReason, error, sent, warnings } = await runAgainst(
      (request) => (pageOf(request) < 3 ? ids(pageOf(request), pageOf(request)) : json({}, 503)),
      { query: '{"page": {{ page + 1 }}}', ends_on_status: [416, 503] },
    )
    expect({ records, stopReason, error, warnings, calls: sent.length }).toEqual({
      records: ids(1, 2),
      stopReason: 'ended_by_status',
      error: undefined,
      warnings: [],
      calls: 3,
    })
  })

  test('in ends_on_status are errors on the first page', async () => {
    const { error } = await runAgainst(() => json({}, 416), { query: '{"page": 2}', ends_on_status: [416] })
    expect(error).toMatchObject({ code: 'http_error', status: 416, page: 0 })
  })

  test('are readable in conditions, and other templates can read an input with that name', async () => {
    const { sent, stopReason } = await runAgainst(
      (_, count) => json(ids(count, count), count === 2 ? 206 : 200),
      { query: '{"state": "{{ status }}", "page": {{ page }}}', stop_when: 'status == 206' },
      { variables: { status: 'open' } },
    )
    expect({ stopReason, calls: sent.length, state: sent[1]?.query['state'] }).toEqual({
      stopReason: 'no_next',
      calls: 2,
      state: 'open',
    })
  })

  test('in retry_when are retried', async () => {
    const { records, error } = await runAgainst(
      (request, count) => {
        if (count === 2) return json({ busy: true }, 409)
        return pageOf(request) < 3 ? ids(pageOf(request), pageOf(request)) : []
      },
      { query: '{"page": {{ page + 1 }}}', retry_when: 'status == 409' },
    )
    expect({ records, error }).toEqual({ records: ids(1, 2), error: undefined })
  })

  test('202 with Retry-After and no list is requested again', async () => {
    const { clock, sleep, slept } = createTestTime()
    const { records, error } = await runAgainst(
      (request, count) => {
        if (count > 1 && count < 9) return json({ state: 'preparing' }, 202, { 'Retry-After': '10' })
        return json({ d: pageOf(request) < 3 ? ids(pageOf(request), pageOf(request)) : [] })
      },
      COUNTED,
      { limits: {}, ports: { clock, sleep } },
    )
    expect({ records, error, slept }).toEqual({
      records: ids(1, 2),
      error: undefined,
      slept: Array.from({ length: 7 }, () => 10_000),
    })
  })

  test('202 without a list or a time is not the end either, and is the response of a first call', async () => {
    const { clock, sleep } = createTestTime()
    const late = await runAgainst(
      (request, count) =>
        count === 2
          ? json({ state: 'preparing' }, 202)
          : json({ d: pageOf(request) < 3 ? ids(pageOf(request), pageOf(request)) : [] }),
      COUNTED,
      { limits: {}, ports: { clock, sleep } },
    )
    let calls = 0
    const accepted = await runAgainst(() => json({ job: ++calls }, 202), COUNTED, { ports: { clock, sleep } })
    expect({ records: late.records, error: late.error, calls, accepted: accepted.records }).toEqual({
      records: ids(1, 2),
      error: undefined,
      calls: 1,
      accepted: [],
    })
  })

  test('202 that never becomes ready is an error, not the end', async () => {
    const { clock, sleep } = createTestTime()
    const { error } = await runAgainst(
      (_, count) => (count === 1 ? json({ d: ids(1, 1) }) : json({}, 202, { 'Retry-After': '10' })),
      COUNTED,
      { limits: {}, ports: { clock, sleep } },
    )
    expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringContaining('not ready') })
  })
})

describe('a cursor is dead', () => {
  test.each<[string, unknown, string]>([
    ['as {}', {}, '{"cursor": {{ previous_request.next }}}'],
    ['as []', [], '{"cursor": {{ previous_request.next }}}'],
    ['as an empty literal that is computed', '', '{"cursor": {{ previous_request.next | tojson }}}'],
    ['as null that is computed', null, '{"cursor": {{ previous_request.next | tojson }}}'],
  ])('%s', async (_, last, query) => {
    const { records, sent, stopReason } = await runAgainst(
      (_request, count) => json({ d: ids(count, count), next: count === 1 ? 'b' : last }),
      { response_jsonpath: '$.d', query },
    )
    expect({ records, calls: sent.length, stopReason }).toEqual({
      records: ids(1, 2),
      calls: 2,
      stopReason: 'no_next',
    })
  })

  test('if a computed one rendered before and its header is missing now', async () => {
    const link = (base: string, count: number) => ({ Link: `<${base}/items?p=${count}>; rel="next"` })
    const config = { query: '{}', endpoint: "{{ previous_request_headers.Link.split('>')[0][1:] }}" }
    const { records, warnings, stopReason, error } = await runAgainst(
      (_, count, base) => json(ids(count, count), 200, count < 3 ? link(base, count) : {}),
      config,
    )
    expect({ records, warnings, stopReason, error }).toEqual({
      records: ids(1, 3),
      warnings: ['cursor_missing'],
      stopReason: 'no_next',
      error: undefined,
    })
  })

  test('but not if it is missing in the first response: that is a mistake, with a hint', async () => {
    const config = { query: '{}', endpoint: "{{ previous_request_headers.Link.split('>')[0][1:] }}" }
    const { error, records } = await runAgainst(() => ids(1, 1), config)
    expect(error).toMatchObject({ code: 'template_error', message: expect.stringContaining('links.next') })
    expect(records).toEqual(ids(1, 1))
  })
})

describe('repetition', () => {
  test('is detected in the records and the cursor, whatever else changes', async () => {
    const { records, warnings, sent } = await runAgainst(
      (_, count) => json({ request_id: `r${count}`, took: count, d: ids(1, 2), next: 'b' }),
      CURSOR,
    )
    expect({ records, warnings, calls: sent.length }).toEqual({
      records: ids(1, 2),
      warnings: ['first_page_again'],
      calls: 2,
    })
  })

  test('of records with an advancing cursor does not count', async () => {
    const { records } = await runAgainst(
      (_, count) => json({ d: ids(1, 1), next: count < 3 ? `c${count}` : null }),
      CURSOR,
    )
    expect(records).toEqual([...ids(1, 1), ...ids(1, 1), ...ids(1, 1)])
  })

  test('of records that dedupe_by knows ends the list', async () => {
    const { records, warnings, stopReason } = await runAgainst(
      (_, count) => json({ d: count < 3 ? ids(count, count + 1) : ids(1, 2), at: count }),
      { response_jsonpath: '$.d', query: '{"page": {{ page + 1 }}}', dedupe_by: 'id' },
    )
    expect({ records, warnings, stopReason }).toEqual({
      records: ids(1, 3),
      warnings: ['nothing_new'],
      stopReason: 'nothing_new',
    })
  })
})

describe('an action body that is a string', () => {
  test('keeps its keys on every page', async () => {
    const { sent } = await runAgainst(
      (_, count) => (count < 3 ? ids(count, count) : []),
      { body: '{"page": {{ page + 1 }}}' },
      { action: { method: 'POST', body: "{'filter': {'state': 'open'}, 'limit': 2,}" } },
    )
    expect(sent.slice(1).map(({ body }) => body)).toEqual([
      { filter: { state: 'open' }, limit: 2, page: 2 },
      { filter: { state: 'open' }, limit: 2, page: 3 },
    ])
  })

  test('is an error unless it is an object, and is replaced if the configuration says so', async () => {
    const run = (config: Data) =>
      runAgainst((_, count) => (count < 3 ? ids(count, count) : []), config, {
        action: { method: 'POST', body: 'SELECT * FROM orders' },
      })
    expect((await run({ body: '{"page": 2}' })).error).toMatchObject({
      code: 'body_not_mergeable',
      message: expect.stringContaining('SELECT * FROM orders'),
    })
    expect((await run({ body: '{"page": {{ page }}}', replace_body: true })).sent[1]?.body).toEqual({
      page: 1,
    })
  })
})

test('min_interval_ms spaces the starts of calls', async () => {
  const { clock, sleep, slept } = createTestTime()
  await runAgainst(
    (request) => (pageOf(request) < 4 ? ids(pageOf(request), pageOf(request)) : []),
    { query: '{"page": {{ page + 1 }}}', min_interval_ms: 700 },
    { ports: { clock, sleep } },
  )
  expect(slept).toEqual([700, 700, 700])
})

test.each([['{}'], ['false'], ['""']])('%s instead of the list is an empty page', async (empty) => {
  for (const path of ['$.d', '$.d[*]']) {
    const { records, stopReason, warnings } = await runAgainst(
      (request) =>
        pageOf(request) < 3 ? json({ d: ids(pageOf(request), pageOf(request)) }) : { raw: `{"d":${empty}}` },
      { ...(COUNTED as object), response_jsonpath: path },
    )
    expect({ records, stopReason, warnings }).toEqual({
      records: ids(1, 2),
      stopReason: 'no_records',
      warnings: [],
    })
  }
})

describe('pages that are not JSON', () => {
  test.each<[string, string, string[], Data]>([
    ['JSON lines', 'application/x-ndjson', ['{"id":1}\n\n{"id":2}\n', '{"id":3}'], {}],
    [
      'JSON lines by another name',
      'application/jsonl; charset=utf-8',
      ['{"id":1}\r\n{"id":2}', '{"id":3}'],
      {},
    ],
    ['a guard before JSON', 'application/json', [`)]}'\n[{"id":1},{"id":2}]`, `)]}',\n[{"id":3}]`], {}],
  ])('%s', async (_, type, pages, config) => {
    const { records, error } = await runAgainst(
      (_request, count) => ({
        raw: pages[count - 1] ?? '',
        headers: { 'Content-Type': type },
        status: pages[count - 1] === undefined ? 204 : 200,
      }),
      { query: '{"page": {{ page }}}', ...(config as object) },
    )
    expect({ records, error }).toEqual({ records: ids(1, 3), error: undefined })
  })

  test('CSV yields one record per row, named by the first row', async () => {
    const pages = ['id,name\r\n1,"a,b"\r\n2,c\r\n', 'id,name\n3,d\n', 'id,name\n']
    const { records } = await runAgainst(
      (_, count) => ({ raw: pages[count - 1] ?? '', headers: { 'Content-Type': 'text/csv' } }),
      { query: '{"page": {{ page }}}' },
    )
    expect(records).toEqual([
      { id: '1', name: 'a,b' },
      { id: '2', name: 'c' },
      { id: '3', name: 'd' },
    ])
  })

  test('JSON lines that break off are requested again', async () => {
    const pages = ['{"id":1}\n', '{"id":2}\n{"id"', '{"id":2}\n{"id":3}\n', '']
    const { records, error } = await runAgainst(
      (_, count) => ({ raw: pages[count - 1] ?? '', headers: { 'Content-Type': 'application/x-ndjson' } }),
      { query: '{"page": {{ page }}}' },
    )
    expect({ records, error }).toEqual({ records: ids(1, 3), error: undefined })
  })

  test.each([['$.r.item'], ['$.r.item[*]']])(
    'an XML page with one element has one record: %s',
    async (path) => {
      const pages = [
        '<r><item><id>1</id><n>a</n></item><item><id>2</id></item></r>',
        '<r><item><id>3</id><n>c</n></item></r>',
      ]
      const { records } = await runAgainst(
        (_, count) => ({ raw: pages[count - 1] ?? '<r/>', headers: { 'Content-Type': 'text/xml' } }),
        { query: '{"page": {{ page }}}', response_jsonpath: path },
      )
      expect(records).toEqual([{ id: '1', n: 'a' }, { id: '2' }, { id: '3', n: 'c' }])
    },
  )

  test('XML is read like a webhook’s, and its records by the path', async () => {
    const page = (count: number) =>
      count < 3 ? `<r><item><id>${count}</id></item><item><id>x</id></item></r>` : '<r></r>'
    const { records } = await runAgainst(
      (_, count) => ({ raw: page(count), headers: { 'Content-Type': 'application/xml' } }),
      { query: '{"page": {{ page }}}', response_jsonpath: '$.r.item' },
    )
    expect(records).toEqual([{ id: '1' }, { id: 'x' }, { id: '2' }, { id: 'x' }])
  })
})
