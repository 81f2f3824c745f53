import { expect, test } from 'vitest'
import {
  budgetKey,
  createRateBudget,
  type RateBudget,
  type Ticket,
} from '../../../src/main/engine/request/rate-budget.ts'
import { createTestTime } from '../../helpers/test-time.ts'

test('without headers every call is allowed once one has been answered, or a quarter of a second has passed', async () => {
  const time = createTestTime()
  const budget = createRateBudget(time.clock)
  const first = enter(budget)
  const second = budget.enter()
  expect(second).toMatchObject({ kind: 'busy', atMostMs: 250 })
  time.advance(250)
  enter(budget)
  first.settle(NOTHING, null)
  if (second.kind === 'busy') await second.answered
  for (let call = 0; call < 100; call++) expect(budget.enter().kind).toBe('go')
})

test('the remaining calls are shared: calls in progress count until they are answered', async () => {
  const budget = createRateBudget(createTestTime().clock)
  enter(budget).settle(left(2), null)
  const first = enter(budget)
  enter(budget)
  const third = budget.enter()
  expect(third.kind).toBe('busy')
  first.settle(left(1), null)
  if (third.kind === 'busy') await third.answered
  expect(budget.enter().kind).toBe('busy')
})

test('with none left all callers wait for the reset', () => {
  const time = createTestTime()
  const budget = createRateBudget(time.clock)
  enter(budget).settle(left(0, 30_000), null)
  expect(budget.enter()).toEqual({ kind: 'wait', waitMs: 30_000 })
  time.advance(10_000)
  expect(budget.enter()).toEqual({ kind: 'wait', waitMs: 20_000 })
  time.advance(20_000)
  expect(budget.enter().kind).toBe('go')
})

test('an API that only refuses calls is called half as often, and slowly more again', () => {
  const time = createTestTime()
  const budget = createRateBudget(time.clock)
  enter(budget).settle(NOTHING, null)
  const burst = Array.from({ length: 9 }, () => enter(budget))
  time.advance(1_000)
  for (const ticket of burst) ticket.settle(NOTHING, null, true)
  // Ten calls per second were too many, so now one every 200 ms; the refusals of one burst count once.
  enter(budget).settle(NOTHING, null)
  const next = budget.enter()
  expect(next).toMatchObject({ kind: 'busy', atMostMs: 196 })
  time.advance(196)
  enter(budget).settle(NOTHING, null, true)
  expect(budget.enter()).toMatchObject({ kind: 'busy', atMostMs: 392 })
  let calls = 0
  for (; calls < 1_000; calls++) {
    const admission = budget.enter()
    if (admission.kind === 'busy') time.advance(admission.atMostMs ?? 0)
    else if (admission.kind === 'go') admission.ticket.settle(NOTHING, null)
  }
  for (let call = 0; call < 100; call++) expect(budget.enter().kind).toBe('go')
})

test('an older response that arrives late does not restore used calls', () => {
  const budget = createRateBudget(createTestTime().clock)
  enter(budget).settle(left(2), null)
  const slow = enter(budget)
  enter(budget).settle(left(0), null)
  slow.settle(left(1), null)
  expect(budget.enter().kind).toBe('wait')
})

test('a new window begins with the numbers of its first response', () => {
  const time = createTestTime()
  const budget = createRateBudget(time.clock)
  enter(budget).settle(left(1, 60_000), null)
  time.advance(60_000)
  enter(budget).settle(left(50, 60_000), null)
  for (let call = 0; call < 50; call++) enter(budget)
  expect(budget.enter().kind).toBe('busy')
})

test('a rejection that asks to wait also delays the other calls', () => {
  const time = createTestTime()
  const budget = createRateBudget(time.clock)
  enter(budget).settle(null, 5_000)
  expect(budget.enter()).toEqual({ kind: 'wait', waitMs: 5_000 })
  time.advance(4_999)
  expect(budget.enter().kind).toBe('go')
})

test('a ticket counts only once', () => {
  const budget = createRateBudget(createTestTime().clock)
  const ticket = enter(budget)
  ticket.settle(left(1), null)
  ticket.settle(left(0), null)
  enter(budget)
  expect(budget.enter().kind).toBe('busy')
})

test('after the reset, no more calls than fit into a window are in progress before the first response', () => {
  const time = createTestTime()
  const budget = createRateBudget(time.clock)
  enter(budget).settle({ ...left(0, 1_000), limit: 3 }, null)
  time.advance(1_000)
  for (let call = 0; call < 3; call++) enter(budget)
  expect(budget.enter().kind).toBe('busy')
})

test('what the connector or a policy of the API allows is spread over the period', () => {
  const policies = [{ calls: 4, periodMs: 60_000 }]
  const time = createTestTime()
  const budget = createRateBudget(time.clock)
  budget.limitTo({ calls: 2, periodMs: 2_000 })
  enter(budget).settle({ ...NOTHING, policies }, null)
  enter(budget)
  expect(budget.enter()).toMatchObject({ kind: 'busy', atMostMs: 2_060 })
  time.advance(2_060)
  enter(budget)
  enter(budget)
  time.advance(2_060)
  expect(budget.enter()).toEqual({ kind: 'wait', waitMs: 61_220 - 4_120 })
})

test('it tells what is left, and the calls of each minute of the last hour', () => {
  const time = createTestTime()
  const budget = createRateBudget(time.clock)
  const start = Math.floor(time.clock.now() / 60_000) * 60_000
  expect(budget.read()).toEqual({ limit: null, remaining: null, resetMs: null, waitMs: 0, minutes: [] })
  enter(budget).settle({ ...left(9, 90_000), limit: 10 }, null)
  enter(budget).settle({ ...left(8, 90_000), limit: 10 }, null)
  time.advance(60_000)
  enter(budget).settle({ ...left(0, 30_000), limit: 10 }, null)
  expect(budget.read()).toEqual({
    limit: 10,
    remaining: 0,
    resetMs: 30_000,
    waitMs: 30_000,
    minutes: [
      { at: start, calls: 2, remaining: 8 },
      { at: start + 60_000, calls: 1, remaining: 0 },
    ],
  })
  time.advance(59 * 60_000)
  expect(budget.read()).toEqual({
    limit: 10,
    remaining: 10,
    resetMs: null,
    waitMs: 0,
    minutes: [{ at: start + 60_000, calls: 1, remaining: 0 }],
  })
})

test('calls to one host with the same credentials share a key', () => {
  expect([
    budgetKey('https://api.test/v1/', { id: 'a' }),
    budgetKey('https://api.test/v2', { id: 'b' }),
    budgetKey('https://api.test', null),
  ]).toEqual(['https://api.test/a', 'https://api.test/b', 'https://api.test/'])
})

const NOTHING = { asksToRetry: false, retryAfterMs: null, remaining: null, resetMs: null }

function enter(budget: RateBudget): Ticket {
  const admission = budget.enter()
  if (admission.kind !== 'go') throw new Error(`The call may not go: ${admission.kind}`)
  return admission.ticket
}

function left(remaining: number, resetMs = 60_000) {
  return { asksToRetry: false, retryAfterMs: null, remaining, resetMs }
}
