/** A body or a template can grow when it is stored, but all of it must remain readable. */
import { expect, test } from 'vitest'
import type { FlowRunStep, ListedFlowRun } from '../../src/shared/contract/flow-runs.ts'
import { type FlowApp, startFlowApp } from '../helpers/flow-app.ts'

const nested = (levels: number) => `{"v":${'['.repeat(levels)}${']'.repeat(levels)}}`
const wrapped = (name: string, levels: number) => `{{ ${'['.repeat(levels)}${name}${']'.repeat(levels)} }}`

async function stepsOf(app: FlowApp): Promise<string[]> {
  const [run] = app.runs()
  const answer = await app.call('GET', `/v1/flow-runs/${run?.id}/steps`)
  expect(answer.status).toBe(200)
  return (answer.json as FlowRunStep[]).map(({ ref_id, status }) => `${ref_id} ${status}`)
}

test('a run with the most deeply nested body is read, searched and run again', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'deeper', type: 'set', config: { values: { all: wrapped('web1', 100) } } },
  ])
  await app.trigger(await app.addFlow([{ ref_id: 'web1', type: 'webhook' }]), { body: { said: 'findable' } })
  const answer = await app.trigger(hook, { body: nested(63) })
  expect({ status: answer.status, steps: await stepsOf(app) }).toEqual({
    status: 200,
    steps: ['web1 success', 'deeper success'],
  })
  const [run] = app.runs()
  expect((await app.call('GET', '/v1/flow-run-steps')).status).toBe(200)
  expect((await app.call('POST', `/v1/flow-runs/${run?.id}/replay`)).status).toBe(202)
  await app.until(({ trigger, status }) => trigger === 'replay' && status === 'success')
  const find = async () => {
    const found = await app.call('GET', '/v1/flow-runs?text=findable')
    return [found.status, (found.json as ListedFlowRun[]).length]
  }
  const scanned = await find()
  await app.services.runIndexing.runOnce()
  expect({ scanned, found: await find(), isEmpty: app.store.runSearch.isEmpty() }).toEqual({
    scanned: [200, 1],
    found: [200, 1],
    isEmpty: false,
  })
})

test('an integer with more digits than a body can contain is kept if a template creates it', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'big', type: 'set', config: { values: { power: '{{ 2 ** 50000 }}' } } },
    {
      ref_id: 'kept',
      type: 'key_value',
      config: { operation: 'set', key: 'power', value: '{{ big.power }}' },
    },
  ])
  const answer = await app.trigger(hook)
  expect({ status: answer.status, steps: await stepsOf(app) }).toEqual({
    status: 200,
    steps: ['web1 success', 'big success', 'kept success'],
  })
})

test("a run whose values get deeper each time ends at its limit, and isn't left running", async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'before', type: 'key_value', config: { operation: 'get', key: 'deep' } },
    {
      ref_id: 'after',
      type: 'key_value',
      config: { operation: 'set', key: 'deep', value: wrapped('before', 90) },
    },
  ])
  const answers = [await app.trigger(hook), await app.trigger(hook), await app.trigger(hook)]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 500])
  expect(app.runs().map(({ status, error }) => [status, error?.code])).toEqual([
    ['error', 'template_error'],
    ['success', undefined],
    ['success', undefined],
  ])
})

test('many long integers count when a step is cut for display', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([{ ref_id: 'web1', type: 'webhook' }])
  const body = JSON.stringify(['x']).replace(
    '"x"',
    Array.from({ length: 300 }, () => '9'.repeat(1_400)).join(),
  )
  expect((await app.trigger(hook, { body })).status).toBe(200)
  const [run] = app.runs()
  const steps = await app.call('GET', `/v1/flow-runs/${run?.id}/steps`)
  expect(steps.text.length).toBeLessThan(400_000)
  expect(steps.json).toMatchObject([{ truncated: true }])
})
