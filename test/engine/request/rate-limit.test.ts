import { expect, test } from 'vitest'
import type { HeaderLine } from '../../../src/main/engine/ports.ts'
import { parseHttpDate, readRateLimit } from '../../../src/main/engine/request/rate-limit.ts'

const NOW = Date.UTC(2030, 0, 1)
const NOTHING = { asksToRetry: false, retryAfterMs: null, remaining: null, resetMs: null }

test.each<[HeaderLine[], Partial<ReturnType<typeof readRateLimit>>]>([
  [[], {}],
  [[['Retry-After', '3']], { asksToRetry: true, retryAfterMs: 3000 }],
  [[['retry-after', ' 0 ']], { asksToRetry: true, retryAfterMs: 0 }],
  [[['Retry-After', '0.65']], { asksToRetry: true, retryAfterMs: 650 }],
  [[['Retry-After', 'Tue, 01 Jan 2030 00:00:05 GMT']], { asksToRetry: true, retryAfterMs: 5000 }],
  [[['Retry-After', 'Mon, 31 Dec 2029 23:59:59 GMT']], { asksToRetry: true, retryAfterMs: 0 }],
  [[['Retry-After', 'soon']], { asksToRetry: true }],
  [[['Retry-After', '-5']], { asksToRetry: true }],
  [[['Retry-After', '']], { asksToRetry: true }],
  [[['RateLimit-Reset', '7']], { resetMs: 7000 }],
  [[['X-RateLimit-Reset', '1893456010']], { resetMs: 10_000 }],
  [[['X-Rate-Limit-Reset', '1893456010.5']], { resetMs: 10_500 }],
  [[['X-Rate-Limit-Reset', '1893456010500']], { resetMs: 10_500 }],
  [[['X-RateLimit-Reset', '1000000000']], { resetMs: 1e12 }],
  [[['X-RateLimit-Reset', '1000000001']], { resetMs: 0 }],
  [
    [
      ['X-RateLimit-Remaining', '0'],
      ['X-RateLimit-Reset', 'never'],
    ],
    { remaining: 0 },
  ],
  [
    [
      ['RateLimit-Remaining', 'many'],
      ['X-Rate-Limit-Remaining', '4'],
    ],
    { remaining: 4 },
  ],
  [
    [
      ['RateLimit-Reset', '1'],
      ['X-RateLimit-Reset', '2'],
    ],
    { resetMs: 1000 },
  ],
  [
    [
      ['RateLimit-Policy', '"burst";q=100;w=60,"day";q=5000;w=86400'],
      ['RateLimit', '"burst";r=9;t=4'],
    ],
    {
      remaining: 9,
      resetMs: 4000,
      policies: [
        { calls: 100, periodMs: 60_000 },
        { calls: 5000, periodMs: 86_400_000 },
      ],
    },
  ],
  [
    [['RateLimit-Policy', '10;w=1, 50;w=60;burst=1000']],
    {
      policies: [
        { calls: 10, periodMs: 1000 },
        { calls: 50, periodMs: 60_000 },
      ],
    },
  ],
  [[['RateLimit-Policy', '"none";q=0;w=1, "many"']], {}],
  [[['X-RateLimit-Limit', '60']], { limit: 60 }],
])('%j is read as %j', (headers, expected) => {
  expect(readRateLimit(headers, NOW)).toEqual({ ...NOTHING, ...expected })
})

test("times are measured against the response's own date, not against a clock that may be wrong", () => {
  const headers: HeaderLine[] = [
    ['Date', 'Tue, 01 Jan 2030 01:00:00 GMT'],
    ['Retry-After', 'Tue, 01 Jan 2030 01:00:02 GMT'],
    ['X-RateLimit-Reset', '1893459604'],
  ]
  expect(readRateLimit(headers, NOW)).toMatchObject({ retryAfterMs: 2000, resetMs: 4000 })
})

test('dates are read in the three forms of RFC 9110 and in no other', () => {
  const moment = Date.UTC(1994, 10, 6, 8, 49, 37)
  expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', NOW)).toBe(moment)
  expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', NOW)).toBe(moment)
  expect(parseHttpDate('Sun Nov  6 08:49:37 1994', NOW)).toBe(moment)
  expect(parseHttpDate('Sunday, 06-Nov-30 08:49:37 GMT', NOW)).toBe(Date.UTC(2030, 10, 6, 8, 49, 37))
  for (const other of ['', '1994', 'Sun, 06 Nov 1994 08:49:37', 'tomorrow', '1994-11-06T08:49:37Z']) {
    expect(parseHttpDate(other, NOW)).toBeNull()
  }
})
