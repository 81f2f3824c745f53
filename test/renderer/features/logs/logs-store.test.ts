import { expect, test } from 'vitest'
import { createLinesStore } from '../../../../src/renderer/features/logs/logs-store.ts'

test('lines of a previous filter never appear, however late they arrive', async () => {
  const waiting: { query: Readonly<Record<string, string>>; give: (ids: readonly string[]) => void }[] = []
  const store = createLinesStore((query) => {
    const { promise, resolve } = Promise.withResolvers<{ entries: { id: string }[] }>()
    waiting.push({ query, give: (ids) => resolve({ entries: ids.map((id) => ({ id })) }) })
    return promise
  })
  const { filtered, looked } = store.getState()
  const shown = () => store.getState().entries?.map(({ id }) => id)
  const first = filtered({ level: 'info' })
  const second = filtered({ level: 'error' })
  waiting[1]?.give(['e2'])
  await second
  waiting[0]?.give(['i3', 'e2'])
  await first
  const afterFilters = shown()
  const look = looked()
  await looked() // nothing while the first one is under way
  waiting[2]?.give(['e4', 'e3'])
  await look
  const afterLook = shown()
  const third = filtered({ level: 'error', text: 'nothing' })
  waiting[3]?.give([])
  await third
  expect({
    afterFilters,
    newer: waiting[2]?.query['newer_than'],
    afterLook,
    empty: shown(),
    calls: waiting.length,
  }).toEqual({
    afterFilters: ['e2'],
    newer: 'e2',
    afterLook: ['e4', 'e3', 'e2'],
    empty: [],
    calls: 4,
  })
})
