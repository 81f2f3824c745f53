/** Errors, waits and attempts as a run reports them. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Data } from '../../../packages/jinja/src/data/value.ts'
import { createRedactor } from '../../../src/main/engine/redaction/redactor.ts'
import { createRateBudget } from '../../../src/main/engine/request/rate-budget.ts'
import { ids, type Reply, runAgainst, type Wire } from '../../helpers/pagination.ts'
import { createTestTime } from '../../helpers/test-time.ts'

const QUERY: Data = { query: '{"page": {{ page + 1 }}}' }
const pageOf = ({ query }: Wire) => Number(query['page'] ?? 1)

/** Three pages with one record each; page 2 returns the failures first. */
function failing(...failures: Reply[]) {
  let failed = 0
  return (request: Wire): Reply => {
    const page = pageOf(request)
    const failure = page === 2 ? failures[failed++] : undefined
    return failure ?? (page < 4 ? ids(page, page) : [])
  }
}
const status = (code: number, headers = {}): Reply => ({
  json: { error: code },
  status: code,
  headers: { Date: '', ...headers },
})

describe('errors contain code, page, status and the number of records read', () => {
  test.each<[string, Reply, object]>([
    ['400', status(400), { code: 'http_error', status: 400 }],
    ['401', status(401), { code: 'http_error', status: 401 }],
    [
      '403 without a limit',
      status(403, { 'X-RateLimit-Remaining': '5' }),
      { code: 'http_error', status: 403 },
    ],
    ['304', { raw: '', status: 304 }, { code: 'http_error', status: 304 }],
    [
      'HTML',
      { raw: '<html>Login</html>', headers: { 'Content-Type': 'text/html' } },
      { code: 'response_not_json' },
    ],
    ['nothing', { raw: '' }, { code: 'response_not_json' }],
    ['blanks', { raw: '  \n' }, { code: 'response_not_json' }],
    ['a number beyond all floats', { raw: '[{"id":1e400}]' }, { code: 'response_not_json' }],
    ['JSON nested without end', { raw: '['.repeat(100_000) }, { code: 'response_too_large' }],
    [
      'a redirect to a file',
      { raw: '', status: 302, headers: { Location: 'file:///etc/passwd' } },
      { code: 'cross_origin_link' },
    ],
  ])('%s', async (_, reply, expected) => {
    const { error, records, sent } = await runAgainst(failing(reply), QUERY)
    expect(error).toMatchObject({ ...expected, page: 1, partial_count: 1 })
    expect({ records, requests: sent.length }).toEqual({ records: ids(1, 1), requests: 2 })
  })

  test('JSON that breaks off is requested again, and is an error if that persists', async () => {
    const cut: Reply = { raw: '[{"id":2},{"na' }
    const once = await runAgainst(failing(cut, cut), QUERY)
    expect({ records: once.records, error: once.error, calls: once.sent.length }).toEqual({
      records: ids(1, 3),
      error: undefined,
      calls: 6,
    })
    const always = await runAgainst(failing(...Array.from({ length: 9 }, () => cut)), QUERY)
    expect(always.error).toMatchObject({ code: 'response_not_json', page: 1, partial_count: 1 })
    expect(always.sent).toHaveLength(6)
  })

  test('a body that cannot be decompressed is requested again', async () => {
    const cut: Reply = {
      raw: gzipSync(JSON.stringify(ids(2, 2))).subarray(0, 15),
      headers: { 'Content-Encoding': 'gzip' },
    }
    const { records, error } = await runAgainst(failing(cut), QUERY)
    expect({ records, error }).toEqual({ records: ids(1, 3), error: undefined })
  })

  test("the API's own message is part of the sentence, without secrets", async () => {
    const reply: Reply = { json: { message: 'token my-secret-token-123 is not allowed here' }, status: 403 }
    const { error } = await runAgainst(failing(reply), QUERY, {
      ports: { redactor: createRedactor({ secrets: ['my-secret-token-123'] }) },
    })
    expect(error?.message).toContain('status 403: {"message":"token *** is not allowed here"}')
  })

  test.each<[string, Data, object]>([
    [
      'a division by zero',
      { query: '{"a": {{ 1 // (page - 1) }}}' },
      { code: 'template_error', page: 1, partial_count: 1, field: 'query', line: 1 },
    ],
    [
      'arithmetic with what is not there',
      { query: '{"a": {{ previous_request.n + 1 }}}' },
      { code: 'template_error', field: 'query' },
    ],
    [
      'a value of the input that is not there',
      { query: '{"a": "{{ input.missing }}"}' },
      { code: 'template_error', field: 'query' },
    ],
    ['a list for a dictionary', { query: '[{{ page }}]' }, { code: 'not_a_dictionary', page: 0 }],
    [
      'text for a dictionary, found late',
      { query: '{{ previous_request[0].name }}' },
      { code: 'not_a_dictionary', page: 1, partial_count: 1 },
    ],
    [
      'a path made wrong by a template',
      { ...(QUERY as object), response_jsonpath: '$.{{ endpoint }}[' },
      { code: 'jsonpath_error', page: 0, field: 'response_jsonpath' },
    ],
    ['a condition', [{ when: '{{ 1 // 0 }}', query: '{}' }], { code: 'template_error', field: '[0].when' }],
  ])('%s', async (_, config, expected) => {
    const { error } = await runAgainst(() => [{ name: 'x' }], config, { variables: { input: {} } })
    expect(error).toMatchObject(expected)
  })

  test('an invalid base URL', async () => {
    const { error } = await runAgainst(() => [], QUERY, { action: { base: 'ftp://api.test' } })
    expect(error).toMatchObject({ code: 'config_invalid', page: 0 })
  })

  test('a refused connection', async () => {
    const { error } = await runAgainst(() => [], QUERY, { action: { base: 'http://127.0.0.1:1' } })
    expect(error).toMatchObject({ code: 'http_error', page: 0, partial_count: 0 })
    expect(error?.status).toBeUndefined()
    expect(error?.message).toContain('tried 5 times')
  })
})

describe('which records are read', () => {
  const text = '[{"name":"grüezi"}]'
  test.each<[string, Buffer, string]>([
    ['UTF-8 with a byte-order mark', Buffer.from(`\uFEFF${text}`), 'application/json'],
    ['UTF-16', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'application/json'],
    ['a charset that is named', Buffer.from(text, 'latin1'), 'application/json; charset=ISO-8859-1'],
    ['a charset nobody knows', Buffer.from(text), 'application/json; charset=nonsense'],
    ['JSON that is called text', Buffer.from(text), 'text/plain'],
  ])('%s', async (_, raw, type) => {
    const { records, error } = await runAgainst(
      (_, count) => (count === 1 ? { raw, headers: { 'Content-Type': type } } : []),
      QUERY,
    )
    expect({ error, records }).toEqual({ error: undefined, records: [{ name: 'grüezi' }] })
  })
})

describe('attempts and waits', () => {
  async function run(
    answer: (request: Wire, count: number) => Reply,
    more: Parameters<typeof runAgainst>[2] = {},
  ) {
    const { clock, sleep, slept } = createTestTime()
    const result = await runAgainst(answer, QUERY, {
      limits: {},
      ...more,
      ports: { clock, sleep, random: () => 0.5, ...more.ports },
    })
    return { ...result, slept }
  }

  test('each attempt and each wait is reported before it begins', async () => {
    const { events, slept } = await run(failing(status(429, { 'Retry-After': '7' }), status(500)))
    const told = events
      .filter(({ type }) => type === 'request' || type === 'retry' || type === 'response')
      .map((event) => Object.values(event).filter((value) => typeof value !== 'object'))
      .map((values) => values.filter((value) => !String(value).startsWith('http')).join(' '))
    expect(told.slice(2, 10).map((line) => line.replaceAll(/ [\d.]+ \d+ (\d+ \d+)$/g, ' $1'))).toEqual([
      'request 1 1 GET 0',
      'response 1 429 0 1',
      'retry 1 2 HTTP 429 7000',
      'request 1 2 GET 0',
      'response 1 500 0 1',
      'retry 1 3 HTTP 500 1000',
      'request 1 3 GET 0',
      'response 1 200 1 2',
    ])
    expect(slept).toEqual([7000, 1000])
  })

  test('the page number does not advance', async () => {
    const { sent, records } = await run(failing(status(503), status(503), status(503), status(503)))
    expect(sent.map(pageOf)).toEqual([1, 2, 2, 2, 2, 2, 3, 4])
    expect(records).toEqual(ids(1, 3))
  })

  test.each<[string, Reply, string]>([
    ['refusals', status(429, { 'Retry-After': '0' }), 'rate_limited'],
    ['errors', status(502), 'http_error'],
  ])('too many %s end in an error', async (_, reply, code) => {
    const { error, sent } = await run(failing(...Array.from({ length: 9 }, () => reply)), {
      limits: { max_attempts: 3 },
    })
    expect({
      code: error?.code,
      page: error?.page,
      partialCount: error?.partial_count,
      requests: sent.length,
    }).toEqual({ code, page: 1, partialCount: 1, requests: 4 })
  })

  test('a wait above max_wait_ms is an error at once, with the time of the next attempt', async () => {
    const { error, slept } = await run(failing(status(429, { 'Retry-After': '61' })), {
      limits: { max_wait_ms: 60_000 },
    })
    expect({ code: error?.code, status: error?.status, slept }).toEqual({
      code: 'rate_limited',
      status: 429,
      slept: [],
    })
    expect(error?.message).toContain('2030-01-01T00:01:01.000Z')
  })

  test('a response that uses up the limit makes the next call wait for the reset', async () => {
    const used = { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '30', Date: '' }
    const { slept, records, events } = await run((request) =>
      pageOf(request) === 1 ? { json: ids(1, 1), headers: used } : [],
    )
    expect({ slept, records }).toEqual({ slept: [30_000], records: ids(1, 1) })
    expect(events.find(({ type }) => type === 'retry')).toMatchObject({
      page: 1,
      attempt: 1,
      wait_ms: 30_000,
    })
  })

  test('runs with the same credentials share the remaining calls', async () => {
    const time = createTestTime()
    const budget = createRateBudget(time.clock)
    const used = { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '30', Date: '' }
    const ports = { clock: time.clock, sleep: time.sleep, budget }
    await runAgainst(() => ({ json: [], headers: used }), QUERY, { ports })
    expect(time.slept).toEqual([])
    await runAgainst(() => [], QUERY, { ports })
    expect(time.slept).toEqual([30_000])
  })

  test('a 429 without a time is retried for two minutes, unless a number of attempts was chosen', async () => {
    const limited = (request: Wire): Reply => (pageOf(request) === 2 ? status(429) : ids(1, 1))
    const patient = await run(limited)
    expect(patient.error).toMatchObject({ code: 'rate_limited' })
    const sum = patient.slept.reduce((total, ms) => total + ms, 0)
    expect({ isPatient: sum > 100_000, isBounded: sum < 200_000, tries: patient.slept.length > 5 }).toEqual({
      isPatient: true,
      isBounded: true,
      tries: true,
    })
    expect((await run(limited, { limits: { rate_limit_patience_ms: 10_000 } })).slept.length).toBeLessThan(8)
    expect((await run(limited, { limits: { max_attempts: 3 } })).slept).toHaveLength(2)
  })

  test.each<[string, Reply]>([
    ['retry-after-ms', status(429, { 'retry-after-ms': '4000' })],
    ['X-RateLimit-Reset-After', status(429, { 'X-RateLimit-Reset-After': '4.0' })],
    ['RateLimit, draft 7', status(429, { RateLimit: 'limit=10, remaining=0, reset=4' })],
    ['RateLimit, draft 8', status(429, { RateLimit: '"default";r=0;t=4' })],
    ['an ISO date', status(429, { 'X-RateLimit-Reset': '2030-01-01T00:00:04Z' })],
    ['retry_after in the body', { json: { parameters: { retry_after: 4 } }, status: 429 }],
    ['backoff in the body', { json: { backoff: 4 }, status: 503 }],
  ])('the wait is read from %s', async (_, refusal) => {
    const { slept, error } = await run(failing(refusal))
    expect({ slept, error }).toEqual({ slept: [4_000], error: undefined })
  })

  test('a POST that reads is retried with the same body', async () => {
    const { clock, sleep } = createTestTime()
    const { sent, error } = await runAgainst(
      (_, count) => (count === 2 ? status(500) : count < 4 ? ids(count, count) : []),
      { body: '{"page": {{ page }}}' },
      {
        action: { method: 'POST', body: { q: 1 } },
        ports: { clock, sleep },
      },
    )
    expect(error).toBeUndefined()
    expect(sent.map(({ body }) => body)).toEqual([
      { q: 1 },
      { q: 1, page: 1 },
      { q: 1, page: 1 },
      { q: 1, page: 2 },
    ])
  })
})

describe('cancelling', () => {
  test('ends the current request at once and keeps what was read', async () => {
    const abort = new AbortController()
    const { error, records, sent } = await runAgainst(
      (request, count) => {
        if (count === 3) setImmediate(() => abort.abort())
        return count === 3 ? { raw: '[' + ' '.repeat(50_000_000) } : ids(pageOf(request), pageOf(request))
      },
      QUERY,
      { signal: abort.signal },
    )
    expect(error).toMatchObject({ code: 'cancelled', page: 2, partial_count: 2 })
    expect({ records, requests: sent.length }).toEqual({ records: ids(1, 2), requests: 3 })
  })

  test('before the first request sends nothing', async () => {
    const { error, sent } = await runAgainst(() => [], QUERY, { signal: AbortSignal.abort() })
    expect({ code: error?.code, requests: sent.length }).toEqual({ code: 'cancelled', requests: 0 })
  })
})

test('events never show a secret, and records are unchanged', async () => {
  const secret = 'sk_live_0123456789abcdef'
  const { events, records, sent } = await runAgainst(
    (_, count) => ({
      json: count === 1 ? [{ key: secret }] : [],
      headers: { 'X-Echo': secret, 'Set-Cookie': 'session=1' },
    }),
    { query: `{"page": {{ page }}, "again": "{{ auth.key }}"}`, body: '{"key": "{{ auth.key }}"}' },
    {
      action: { headers: { Authorization: 'Bearer short', 'X-Other': secret }, query: { token: secret } },
      variables: { auth: { key: secret } },
      ports: { redactor: createRedactor({ secrets: [secret] }) },
    },
  )
  expect(sent[1]?.body).toEqual({ key: secret })
  expect(records).toEqual([{ key: secret }])
  const shown = JSON.stringify(events.filter(({ type }) => type !== 'records'))
  expect(shown).not.toContain(secret)
  expect(shown).not.toContain('Bearer')
  expect(shown).not.toContain('session=1')
})

test('without the flag, or without a configuration, the output is the body', async () => {
  for (const more of [{ supportsPagination: false }, {}]) {
    const config = 'supportsPagination' in more ? ({ faulty: 1 } as Data) : null
    const json = await runAgainst(() => ({ json: { a: [1] } }), config, more)
    expect({ output: json.output, stopReason: json.stopReason, requests: json.sent.length }).toEqual({
      output: { a: [1] },
      stopReason: 'not_paginated',
      requests: 1,
    })
  }
  const text = await runAgainst(() => ({ raw: 'plain', headers: { 'Content-Type': 'text/plain' } }), null)
  expect(text.output).toBe('plain')
  const nothing = await runAgainst(() => ({ raw: '', status: 204 }), null)
  expect(nothing.output).toBeNull()
  const broken = await runAgainst(() => ({ raw: '{' }), null)
  expect(broken.error).toMatchObject({ code: 'response_not_json', page: 0 })
})

test('a call without pages that may have written is not repeated', async () => {
  const post = { method: 'POST', body: { amount: 1 } }
  const failed = await runAgainst(() => status(500), null, { action: post })
  expect({ code: failed.error?.code, requests: failed.sent.length }).toEqual({
    code: 'http_error',
    requests: 1,
  })
  const busy = await runAgainst((_, count) => (count < 3 ? status(503) : { json: 'done' }), null, {
    action: post,
  })
  expect({ output: busy.output, requests: busy.sent.length }).toEqual({ output: 'done', requests: 3 })
  const get = await runAgainst((_, count) => (count < 3 ? status(500) : { json: 'done' }), null)
  expect({ output: get.output, requests: get.sent.length }).toEqual({ output: 'done', requests: 3 })
})
