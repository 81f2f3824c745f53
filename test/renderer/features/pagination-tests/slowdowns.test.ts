import { expect, test } from 'vitest'
import type { PageLine } from '../../../../src/renderer/components/pagination/state/test-progress.ts'
import { slowdownsIn } from '../../../../src/renderer/features/pagination-tests/slowdowns.ts'

const attempt = (ms: number, more: object = {}) => ({
  response: { status: 200, duration_ms: ms },
  retry: null,
  ...more,
})
const page = (number: number, ms: number, more: object = {}) =>
  ({ page: number, wait: null, attempts: [attempt(ms)], ...more }) as unknown as PageLine

test('pages that waited for a limit, and pages much slower than most, are named', () => {
  const refused = attempt(5, { response: { status: 429, duration_ms: 5 }, retry: { wait_ms: 2_000 } })
  expect(
    slowdownsIn([
      page(1, 100),
      page(2, 110, { wait: { wait_ms: 500 } }),
      page(3, 90, { attempts: [refused, attempt(90)] }),
      page(4, 120),
      page(5, 900),
    ]),
  ).toEqual({ limited: [2, 3], waitedMs: 2_500, slow: [5], medianMs: 110 })
})

test('an even list, few pages and the noise of fast ones are nothing to tell', () => {
  const failed = attempt(5, { response: { status: 500, duration_ms: 5 }, retry: { wait_ms: 2_000 } })
  expect([
    slowdownsIn([1, 2, 3, 4, 5, 6].map((number) => page(number, 100))),
    slowdownsIn([page(1, 10), page(2, 5_000)]),
    slowdownsIn([1, 2, 3, 4, 5, 6].map((number) => page(number, number === 6 ? 90 : 10))),
    // A server error isn't a limit on callers.
    slowdownsIn([page(1, 100, { attempts: [failed, attempt(100)] })]),
  ]).toEqual([null, null, null, null])
})
