import { expect, test } from 'vitest'
import { startTestApp } from '../helpers/test-app.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

test('runs are deleted once they are older than their flow keeps them, and a backup is taken', async () => {
  const app = await startTestApp()
  await app.services.running.start()
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
  // Runs happen in real time; the program's clock goes two days beyond it.
  app.clock.advance(Date.now() - app.clock.now() + 2 * DAY_MS)
  await app.services.housekeeping.runOnce()
  expect({ answers, young, old: await kept(), backups: app.store.backups.list().length }).toEqual({
    answers: [200, 200],
    young: ['keeps 1', 'keeps 30'],
    old: ['keeps 30'],
    backups: 2,
  })
  await app.services.running.stop({ graceMs: 0 })
})
