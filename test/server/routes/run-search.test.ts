import { expect, test } from 'vitest'
import type { FlowRun, ListedFlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'

const ORDER = [
  { ref_id: 'web1', type: 'webhook' as const, config: {} },
  { ref_id: 'note', type: 'set' as const, config: { values: { line: 'for {{ web1.customer }}' } } },
]

test('GET /v1/flow-runs?text= finds strings in runs, with the place, across pages and filters', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow(ORDER)
  for (const customer of ['Zoë Amberg', 'Kim Bexley', 'Zoe Carver'])
    await app.trigger(hook, { body: { customer } })
  const list = async (query: string) => {
    const answer = await app.call('GET', `/v1/flow-runs?${query}`)
    return { ...answer, runs: answer.json as ListedFlowRun[] }
  }
  const ask = async () => {
    const first = await list('text=zoe&per_page=1')
    const rest = await app.call(
      'GET',
      /<http:\/\/[^/]+([^>]+)>/.exec(String(first.headers['link']))?.[1] ?? '',
    )
    return {
      first: first.runs.map(({ matches }) => matches),
      rest: (rest.json as ListedFlowRun[]).map(({ matches }) => matches?.[0]?.snippet),
      filtered: (await list('text=zoe&filter=status,eq,error')).runs.length,
      whole: (await list('text=')).runs.map(({ matches }) => matches),
    }
  }
  const scanned = await ask()
  await app.services.runIndexing.runOnce()
  expect(await ask()).toEqual(scanned)
  expect(scanned).toEqual({
    first: [
      [
        {
          step_id: expect.any(String) as string,
          ref_id: 'web1',
          field: 'output',
          at: ['customer'],
          snippet: 'customer: Zoe Carver',
          marks: [[10, 13]],
        },
      ],
    ],
    rest: ['customer: Zoë Amberg'],
    filtered: 0,
    whole: [undefined, undefined, undefined],
  })
  expect(await app.call('GET', '/v1/flow-runs?text=%25')).toMatchObject({
    status: 400,
    json: { data: { text: [expect.any(String)] } },
  })
})

test('the index is updated automatically, and is deleted if the setting says so', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow(ORDER)
  app.services.runIndexing.start()
  await app.trigger(hook, { body: { customer: 'Ann' } })
  const found = async () => ((await app.call('GET', '/v1/flow-runs?text=ann')).json as FlowRun[]).length
  await expect.poll(() => app.store.runSearch.isEmpty(), { timeout: 10_000 }).toBe(false)
  const before = await found()
  await app.call('PUT', '/v1/settings', { search_index: false })
  await expect.poll(() => app.store.runSearch.isEmpty()).toBe(true)
  await app.services.runIndexing.runOnce()
  expect({ before, found: await found(), isEmpty: app.store.runSearch.isEmpty() }).toEqual({
    before: 1,
    found: 1,
    isEmpty: true,
  })
  await app.services.runIndexing.stop()
})
