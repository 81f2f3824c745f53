import { expect, test } from 'vitest'
import { startFlowApp } from '../helpers/flow-app.ts'

test('the time limit of a flow ends an asynchronous run just like one that is waited for', async () => {
  const app = await startFlowApp()
  const ends = await Promise.all(
    [false, true].map(async (async) => {
      const wait = (ref_id: string) => ({ ref_id, type: 'delay' as const, config: { seconds: 1.2 } })
      const hook = await app.addFlow(
        [{ ref_id: 'web1', type: 'webhook', config: { async } }, wait('one'), wait('two'), wait('three')],
        { settings: { timeout_seconds: 2 } },
      )
      const { status } = await app.trigger(hook, { body: {} })
      const run = await app.until((one) => one.flow_id === hook.flow.id && one.finished_at !== null)
      return [status, run.status, run.error?.code]
    }),
  )
  expect(ends).toEqual([
    [500, 'error', 'timeout'],
    [200, 'error', 'timeout'],
  ])
})
