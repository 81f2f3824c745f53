import { expect, onTestFinished, test } from 'vitest'
import { createRunPanelStore } from '../../../../../src/renderer/features/flows/state/run-panel-store.ts'
import { versionsOf } from '../../../../../src/renderer/api/lists.ts'
import { cached } from '../../../../../src/renderer/api/resource.ts'
import type { Flow } from '../../../../../src/shared/contract/flows.ts'
import { until } from '../../../../helpers/answering-api.ts'
import { pageApiOf } from '../../../../helpers/page-api.ts'
import { startTestApp } from '../../../../helpers/test-app.ts'

const aLoop = (name: string, count: number) => ({
  ref_id: name,
  type: 'loop',
  config: { over: `{{ range(${count}) | list }}` },
  steps: [{ ref_id: `in_${name}`, type: 'set', config: { values: { n: '{{ item }}' } } }],
})

test('the editor knows every step of a run, however many iterations ran before it', async () => {
  const app = await startTestApp()
  const flow = (
    await app.call('POST', '/v1/flows', {
      name: 'Long',
      steps: [
        { ref_id: 'web1', type: 'webhook' },
        aLoop('first', 300),
        aLoop('second', 250),
        { ref_id: 'last', type: 'set', config: { values: { done: true } } },
      ],
    })
  ).json as Flow
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  const store = createRunPanelStore(pageApiOf(app), flow.id)
  onTestFinished(store.getState().opened())
  const { steps } = await until(store, (state) => state.run !== null)
  expect(Object.keys(steps).toSorted()).toEqual(['first', 'in_first', 'in_second', 'last', 'second', 'web1'])
  expect(steps['last']?.output).toEqual({ done: true })

  store.getState().turnShown({ in_first: '280', in_second: '249' })
  const shown = await until(store, (state) => state.steps['in_first']?.iteration[0] === 280)
  expect(shown.steps['in_second']?.iteration).toEqual([249])
})

test('the step that failed a run is shown as failed, beyond the first records too', async () => {
  const app = await startTestApp()
  const failing = { ref_id: 'check', type: 'set', config: { values: { n: '{{ 1 // (item - 260) }}' } } }
  const steps = [
    { ref_id: 'web1', type: 'webhook' },
    { ...aLoop('items', 300), steps: [failing] },
  ]
  const flow = (await app.call('POST', '/v1/flows', { name: 'Fails late', steps })).json as Flow
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, {})
  const store = createRunPanelStore(pageApiOf(app), flow.id)
  onTestFinished(store.getState().opened())
  const shown = await until(store, (state) => state.run !== null)
  expect({ run: shown.run?.status, check: shown.steps['check']?.status }).toEqual({
    run: 'error',
    check: 'error',
  })
})

test('a flow of more than 200 versions has all of them in its list and in the replay of a request', async () => {
  const app = await startTestApp()
  const created = await app.call('POST', '/v1/flows', { name: 'Old', steps: [{ ref_id: 'a', type: 'set' }] })
  const { id } = created.json as Flow
  for (let n = 2; n <= 203; n += 1)
    await app.call('PUT', `/v1/flows/${id}`, { steps: [{ ref_id: 'a', type: 'set', title: `${n}` }] })
  const api = pageApiOf(app)
  const versions = await cached(api, versionsOf(id)).read()
  const all = Array.from({ length: 203 }, (_, index) => 203 - index)
  expect(versions.map(({ version }) => version)).toEqual(all)
})
