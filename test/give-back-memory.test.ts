import { getHeapStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { giveBackMemory, giveBackWhileIdle } from '../src/main/host/machine/give-back-memory.ts'

test('the heap of an idle program shrinks to its contents', () => {
  let rubbish: unknown[] | null = Array.from({ length: 400_000 }, (_, index) => ({
    index,
    text: `text ${index}`,
  }))
  const full = getHeapStatistics().total_physical_size
  expect(rubbish.length).toBe(400_000)
  rubbish = null
  // The tests share a process, so its heap can have any size.
  giveBackMemory(Number.POSITIVE_INFINITY)
  expect(full - getHeapStatistics().total_physical_size).toBeGreaterThan(20_000_000)
  expect('gc' in globalThis).toBe(false)
})

test('memory is released once after the last work, and not while work is in progress', async () => {
  const report: { busy: (isBusy: boolean) => void } = { busy: () => {} }
  let count = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = giveBackWhileIdle({
    onBusy(listener) {
      report.busy = listener
      listener(false)
    },
    afterMs: 1,
    giveBack() {
      count += 1
      resolve()
    },
  })
  report.busy(true)
  report.busy(false)
  report.busy(true)
  const during = count
  report.busy(false)
  await promise
  report.busy(false)
  end()
  expect([during, count]).toEqual([0, 1])
})
