import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { aFlow, aFlowRun } from '../../helpers/records.ts'
import { startTestApp } from '../../helpers/test-app.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

test("runs are deleted after their flow's retention, and a backup is taken", async () => {
  const app = await startTestApp()
  await app.services.runtime.start()
  const flowWith = async (days: number) => {
    const created = await app.call('POST', '/v1/flows', {
      name: `keeps ${days}`,
      steps: [{ ref_id: 'web1', type: 'webhook' }],
      settings: { data_retention_days: days, webhook_token_enabled: false },
    })
    const { id } = created.json as { id: string }
    return (await app.call('POST', `/v1/flow-webhook/${id}`, {})).status
  }
  const kept = async () =>
    ((await app.call('GET', '/v1/flow-runs')).json as { title: string }[])
      .map(({ title }) => title)
      .toSorted()
  const answers = [await flowWith(1), await flowWith(30)]
  await app.services.housekeeping.runOnce()
  const young = await kept()
  // Runs happen in real time, while the program's clock is two days ahead of it.
  app.clock.advance(Date.now() - app.clock.now() + 2 * DAY_MS)
  await app.services.housekeeping.runOnce()
  expect({ answers, young, old: await kept(), backups: app.store.backups.list().length }).toEqual({
    answers: [200, 200],
    young: ['keeps 1', 'keeps 30'],
    old: ['keeps 30'],
    backups: 2,
  })
  app.services.runtime.beginStop()
  await app.services.runtime.stop({ graceMs: 0 })
})

test('a history above its limit loses its oldest ended runs, and only those', async () => {
  const app = await startTestApp({ settings: { history_limit_mb: 10 } })
  const flow = aFlow()
  const ids: string[] = []
  const add = (more: Partial<FlowRun> = {}) =>
    app.store.write(() => {
      const id = app.store.flowRuns.newId()
      app.store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id, ...more }), { state: ['x'.repeat(20_000)] })
      ids.push(id)
    })
  await app.store.write(() => app.store.flows.insert(flow))
  await add({ status: 'running', finished_at: null })
  for (let run = 0; run < 1_500; run++) await add()
  const before = app.store.maintenance.size().bytes
  await app.services.housekeeping.runOnce()
  const kept = ids.filter((id) => app.store.flowRuns.get(id) !== null)
  expect({ wasLarge: before > 20e6, isSmall: app.store.maintenance.size().bytes < 11e6 }).toEqual({
    wasLarge: true,
    isSmall: true,
  })
  expect(kept.join()).toBe([ids[0], ...ids.slice(-(kept.length - 1))].join())
  expect(kept.length).toBeGreaterThan(100)
})

test('a flow that keeps no history leaves no run, request or file; files of other flows are deleted with their run', async () => {
  const app = await startFlowApp()
  const hooks = await Promise.all(
    [0, 30].map((days) =>
      app.addFlow([{ ref_id: 'web1', type: 'webhook', config: { async: true } }], {
        settings: { data_retention_days: days },
      }),
    ),
  )
  const form = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhello\r\n--b--\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  for (const hook of hooks) await app.trigger(hook, { body: form, headers })
  await app.until(() => app.runs().length === 1 && app.runs()[0]?.status === 'success')
  while (app.store.runQueue.count().taken + app.store.runQueue.count().ready > 0) await app.requests()
  const files = () => readdirSync(join(app.store.dataDir, 'files')).length
  const before = [files(), (await app.requests()).length]
  await app.services.housekeeping.runOnce()
  const after = [files(), (await app.requests()).map(({ flow_id: id }) => id === hooks[1]!.flow.id)]
  await app.call('DELETE', `/v1/flow-runs/${app.runs()[0]!.id}`)
  await app.services.housekeeping.runOnce()
  expect({ before, after, end: files() }).toEqual({ before: [4, 1], after: [2, [true]], end: 0 })
})
