import { quoted } from '../../../src/shared/contract/base/message.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServerResponse } from 'node:http'
import type { Exchange, OutgoingRequest } from '../../../src/main/engine/ports.ts'
import { createRateBudget } from '../../../src/main/engine/request/rate-budget.ts'
import type { RequestError } from '../../../src/main/engine/request/request-error.ts'
import { createSendRequest } from '../../../src/main/engine/request/send-request.ts'
import {
  type AttemptEvent,
  ParkedWait,
  type RetryOptions,
  sendAttempts,
  sendWithRetry,
} from '../../../src/main/engine/request/send-with-retry.ts'
import { createTestTime } from '../../helpers/test-time.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

type Answer = (response: ServerResponse) => void
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, { Date: '', ...headers }).end()
const dropped: Answer = (response) => response.destroy()
const cut: Answer = (response) => {
  response.writeHead(200, { 'Content-Length': 10 })
  response.write('12345', () => response.destroy())
}

describe('a reading call', () => {
  test.each<[string, Answer[], number[]]>([
    ['429', [status(429)], [500]],
    ['429 with Retry-After', [status(429, { 'Retry-After': '7' })], [7000]],
    ['429 with Retry-After that cannot be read', [status(429, { 'Retry-After': 'soon' })], [500]],
    ['429 with a reset', [status(429, { 'RateLimit-Reset': '9' })], [9000]],
    ['429 with both', [status(429, { 'Retry-After': '2', 'RateLimit-Reset': '9' })], [2000]],
    ['503 with a reset', [status(503, { 'X-RateLimit-Reset': '4' })], [4000]],
    ['500 with a reset of a budget that is not used up', [status(500, { 'X-RateLimit-Reset': '4' })], [500]],
    ['403 with Retry-After', [status(403, { 'Retry-After': '1' })], [1000]],
    [
      '403 with nothing left',
      [status(403, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '3' })],
      [3000],
    ],
    ['304 with Retry-After', [status(304, { 'Retry-After': '1' })], [1000]],
    ['408', [status(408)], [500]],
    ['500, 502, 504 one after the other', [status(500), status(502), status(504)], [500, 1000, 2000]],
    ['a dropped connection', [dropped], [500]],
    ['a body cut off', [cut], [500]],
  ])('is retried after %s', async (_, failures, slept) => {
    const { run, api, time } = await setUp(failures)
    expect(await run()).toMatchObject({
      response: { status: 200 },
      refusal: null,
      attempts: slept.length + 1,
    })
    expect(api.received).toHaveLength(slept.length + 1)
    expect(time.slept).toEqual(slept)
  })

  test.each([400, 401, 403, 404, 409, 422, 304])('is not retried after %i', async (code) => {
    const { run, api } = await setUp([
      status(code, { 'X-RateLimit-Remaining': '57', 'X-RateLimit-Reset': '3000' }),
    ])
    expect(await run()).toMatchObject({
      response: { status: code },
      attempts: 1,
      refusal: { code: 'http_error', status: code },
    })
    expect(api.received).toHaveLength(1)
  })

  test.each<[string, Answer, string]>([
    ['503 with Retry-After', status(503, { 'Retry-After': '0' }), 'rate_limited'],
    ['500', status(500), 'http_error'],
  ])(
    'that gets %s each time gives up after five attempts, with the last response',
    async (_, answer, code) => {
      const { run, api } = await setUp(Array.from({ length: 9 }, () => answer))
      const { refusal, attempts } = await run()
      expect(refusal).toMatchObject({ code })
      expect(refusal?.message).toContain('tried 5 times')
      expect({ attempts, requests: api.received.length }).toEqual({ attempts: 5, requests: 5 })
    },
  )

  test('that is dropped each time fails after five attempts', async () => {
    const { run, api } = await setUp(Array.from({ length: 9 }, () => dropped))
    const error = await failure(run())
    expect(error).toMatchObject({ code: 'http_error', status: undefined })
    expect(error.message).toContain('tried 5 times')
    expect(api.received).toHaveLength(5)
  })

  test('has a back-off that doubles up to a minute, with jitter down to zero', async () => {
    const failures = Array.from({ length: 9 }, () => status(500))
    const high = await setUp(failures, { random: () => 0.999_999, policy: { maxAttempts: 10 } })
    await high.run()
    expect(high.time.slept.map(Math.round)).toEqual([
      1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ])
    const low = await setUp(failures.slice(0, 3), { random: () => 0 })
    await low.run()
    expect(low.time.slept).toEqual([0, 0, 0])
  })

  test('does not sleep through a wait above the limit: the error says when to continue', async () => {
    const { run, time, api } = await setUp([status(429, { 'Retry-After': '3600' })])
    const { refusal } = await run()
    expect(refusal).toMatchObject({ code: 'rate_limited', status: 429 })
    expect(refusal?.message).toContain('2030-01-01T01:00:00.000Z')
    expect({ slept: time.slept, requests: api.received.length }).toEqual({ slept: [], requests: 1 })
  })

  test('hands over a long wait if the caller can park, and continues the count of attempts', async () => {
    const failures = [
      status(500),
      status(429, { 'Retry-After': '90' }),
      status(500),
      status(500),
      status(500),
    ]
    const parking = { policy: { parkAboveMs: 60_000 } }
    const { run, time } = await setUp(failures, parking)
    const parked = await run().then(
      () => expect.fail('not parked'),
      (error: ParkedWait) => error,
    )
    expect(parked).toBeInstanceOf(ParkedWait)
    expect(parked).toMatchObject({
      nextAttempt: 3,
      reason: quoted('HTTP 429'),
      resumeAt: time.clock.now() + 90_000,
    })
    expect(await run({ ...parking, firstAttempt: parked.nextAttempt })).toMatchObject({
      attempts: 5,
      refusal: { code: 'http_error' },
    })
  })

  test('can be repeated by a rule of the caller after a good response', async () => {
    const { run, api } = await setUp([], {
      repeatWhen: (response) => (response.status === 200 && api.received.length < 3 ? REPEAT : null),
    })
    expect(await run()).toMatchObject({ attempts: 3, refusal: null })
    const never = await setUp([], { repeatWhen: () => REPEAT })
    expect((await never.run()).refusal).toMatchObject({ code: 'http_error', status: 200 })
  })
})

const REPEAT = {
  reason: quoted('retry_when is true'),
  refusal: quoted('retry_when is true'),
  isPatient: false,
}

describe('a writing call', () => {
  test.each<[string, Answer]>([
    ['429', status(429)],
    ['503', status(503)],
    ['500 with Retry-After', status(500, { 'Retry-After': '1' })],
  ])('is repeated after %s, which means that nothing was done', async (_, answer) => {
    const { run, api } = await setUp([answer], { method: 'POST' })
    expect(await run()).toMatchObject({ attempts: 2, refusal: null })
    expect(api.received.map(({ body }) => String(body))).toEqual(['data', 'data'])
  })

  test.each<[string, Answer]>([
    ['500', status(500)],
    ['502', status(502)],
    ['408', status(408)],
  ])('is not repeated after %s: it may have been done', async (_, answer) => {
    const { run, api } = await setUp([answer], { method: 'PATCH' })
    expect((await run()).refusal).toMatchObject({ code: 'http_error' })
    expect(api.received).toHaveLength(1)
  })

  test('is not repeated if the connection broke after it was sent', async () => {
    const { run, api } = await setUp([dropped], { method: 'DELETE' })
    await failure(run())
    expect(api.received).toHaveLength(1)
  })

  test('is repeated if there was no connection', async () => {
    const { run, time } = await setUp([], { method: 'POST', url: 'http://127.0.0.1:1/' })
    await failure(run())
    expect(time.slept).toEqual([500, 1000, 2000, 4000])
  })

  test('that only reads is repeated like a GET', async () => {
    const { run } = await setUp([status(500), dropped], { method: 'POST', effect: 'read' })
    expect(await run()).toMatchObject({ attempts: 3, refusal: null })
  })
})

describe('a shared budget', () => {
  test('a good response with nothing remaining makes the next call wait for the reset', async () => {
    const budget = createRateBudget(createTestTime().clock)
    const { run, time } = await setUp(
      [status(200, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '12' })],
      {},
      (clock) => createRateBudget(clock),
    )
    expect(budget.enter().kind).toBe('go')
    await run()
    expect(time.slept).toEqual([])
    await run()
    expect(time.slept).toEqual([12_000])
  })

  test('a reset beyond the longest wait is an error before anything is sent', async () => {
    const { run, api } = await setUp(
      [status(200, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '3600' })],
      {},
      (clock) => createRateBudget(clock),
    )
    await run()
    expect(await failure(run())).toMatchObject({ code: 'rate_limited', delivered: false })
    expect(api.received).toHaveLength(1)
  })

  test('concurrent calls stay within the remaining number', async () => {
    let left = 3
    const api = await startThirdPartyApi((_, response) => {
      left = Math.max(0, left - 1)
      response
        .writeHead(200, { Date: '', 'RateLimit-Remaining': String(left), 'RateLimit-Reset': '60' })
        .end()
    })
    const time = createTestTime()
    const options = anOptions(time, { budget: createRateBudget(time.clock), policy: { maxWaitMs: 1000 } })
    const request = { method: 'GET', url: api.url, headers: [], body: null }
    await sendWithRetry(request, options)
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => sendWithRetry(request, options)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(api.received).toHaveLength(3)
  })
})

test('events report each attempt and each wait before it begins', async () => {
  const { request, options } = await setUp([status(503, { 'Retry-After': '1' }), dropped])
  const events: AttemptEvent[] = []
  const exchanges: Exchange[] = []
  const attempts = sendAttempts(request, { ...options, onExchange: (exchange) => exchanges.push(exchange) })
  let step = await attempts.next()
  for (; !step.done; step = await attempts.next()) events.push(step.value)
  expect(events).toMatchObject([
    { type: 'request', attempt: 1 },
    { type: 'refused', attempt: 1, response: { status: 503 } },
    { type: 'retry', attempt: 2, reason: quoted('HTTP 503'), waitMs: 1000 },
    { type: 'request', attempt: 2 },
    { type: 'retry', attempt: 3, waitMs: 1000 },
    { type: 'request', attempt: 3 },
  ])
  expect(step.value).toMatchObject({ attempts: 3 })
  expect(exchanges.map(({ attempt, response }) => [attempt, response?.status])).toEqual([
    [1, 503],
    [2, undefined],
    [3, 200],
  ])
})

test('cancelling ends a wait at once', async () => {
  const abort = new AbortController()
  const { run, api } = await setUp([status(429, { 'Retry-After': '60' })], {
    signal: abort.signal,
    sleep: () => {
      abort.abort()
      return new Promise(() => {})
    },
  })
  expect(await failure(run())).toMatchObject({ code: 'cancelled' })
  expect(await failure(run())).toMatchObject({ code: 'cancelled' })
  expect(api.received).toHaveLength(1)
})

async function setUp(
  failures: readonly Answer[],
  { method = 'GET', url, ...more }: Partial<RetryOptions> & { method?: string; url?: string } = {},
  budgetOf?: (clock: RetryOptions['clock']) => RetryOptions['budget'],
) {
  const api = await startThirdPartyApi((_, response, count) => (failures[count - 1] ?? status(200))(response))
  const time = createTestTime()
  const options = anOptions(time, { budget: budgetOf?.(time.clock), ...more })
  const request: OutgoingRequest = {
    method,
    url: url ?? api.url,
    headers: [],
    body: method === 'GET' ? null : 'data',
  }
  const run = (changes: Partial<RetryOptions> = {}) => sendWithRetry(request, { ...options, ...changes })
  return { api, time, request, options, run }
}

function anOptions(time: ReturnType<typeof createTestTime>, more: Partial<RetryOptions>): RetryOptions {
  const sender = createSendRequest({ clock: time.clock, userAgent: 'test', ownPorts: () => new Set() })
  onTestFinished(() => sender.close())
  return { ...time, sendRequest: sender.sendRequest, random: () => 0.5, ...more }
}

async function failure(call: Promise<unknown>): Promise<RequestError> {
  return call.then(
    () => expect.fail('the call did not fail'),
    (error: RequestError) => error,
  )
}
