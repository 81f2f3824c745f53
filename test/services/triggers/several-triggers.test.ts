import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { FlowTrigger } from '../../../src/shared/contract/reach/flow-trigger.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, type FlowAppOptions, startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const SEEN: StepInput = {
  ref_id: 'seen',
  type: 'set',
  config: {
    values: {
      by: '{{ trigger.ref_id }}',
      type: '{{ trigger.type }}',
      output: '{{ trigger.output }}',
      isOrder: '{{ order is defined }}',
    },
  },
}
const ORDER: StepInput = {
  ref_id: 'order',
  type: 'webhook',
  config: { response_body: '{"by": "{{ seen.by }}"}' },
}
const schedule = (refId: string, config: object): StepInput => ({
  ref_id: refId,
  type: 'schedule',
  config: { timezone: 'UTC', ...config },
})
const MORNING = schedule('morning', { interval: 'daily', at: '09:00' })
const HOURLY = schedule('hourly', { interval: '1h' })

/** A wall clock that the test sets; waits are real. */
async function startAt(at: string, options: FlowAppOptions = {}) {
  const clock = {
    time: Date.parse(at),
    now: () => clock.time,
    monotonic: () => performance.now(),
  }
  const app = await startFlowApp({ clock, ...options })
  const lookAt = async (to: string) => {
    clock.time = Date.parse(to)
    await app.services.scheduler.look()
    await app.services.triggers.look()
  }
  return { app, clock, lookAt }
}

async function save(app: FlowApp, steps: readonly StepInput[], flow: object = {}): Promise<Flow> {
  const { json, status, text } = await app.call('POST', '/v1/flows', {
    name: 'Orders',
    status: 'active',
    steps,
    ...flow,
  })
  if (status !== 201) throw new Error(text)
  await app.store.write(() => undefined)
  return json as Flow
}

async function change(app: FlowApp, id: string, patch: object): Promise<void> {
  const { status, text } = await app.call('PUT', `/v1/flows/${id}`, patch)
  if (status !== 200) throw new Error(text)
  await app.store.write(() => undefined)
}

/** What each run received, oldest first. */
async function seen(app: FlowApp): Promise<unknown[]> {
  for (const { id } of app.runs()) await app.until((run) => run.id === id && run.status === 'success')
  return app
    .runs()
    .toReversed()
    .map((run) => app.stepsOf(run).find(({ ref_id: ref }) => ref === 'seen')?.output)
}

const startsOf = (runs: readonly FlowRun[]) =>
  runs.toReversed().map(({ trigger, trigger_ref: ref }) => [trigger, ref])

async function stop(app: FlowApp): Promise<void> {
  app.services.runtime.beginStop()
  await app.services.runtime.stop({ graceMs: 1_000 })
  app.store.close()
}

it('a flow with a webhook and two schedules starts by each, and its steps can tell by which', async () => {
  const { app, lookAt } = await startAt('2026-03-01T08:30:00Z')
  const { id, webhook } = await save(app, [ORDER, MORNING, HOURLY, SEEN])
  const answer = await app.trigger(
    { path: `/v1/flow-webhook/${id}`, token: webhook?.token ?? '' },
    { body: { amount: 5 } },
  )
  await lookAt('2026-03-01T09:00:00Z')
  await lookAt('2026-03-01T10:00:01Z')
  const of = (by: string, output: object) => ({ by, type: 'schedule', output, isOrder: false })
  expect({ answer: answer.json, seen: await seen(app), starts: startsOf(app.runs()) }).toEqual({
    answer: { by: 'order' },
    seen: [
      { by: 'order', type: 'webhook', output: { amount: 5 }, isOrder: true },
      of('morning', { scheduled_at: '2026-03-01T09:00:00.000Z' }),
      of('hourly', { scheduled_at: '2026-03-01T09:00:00.000Z' }),
      of('hourly', { scheduled_at: '2026-03-01T10:00:00.000Z' }),
    ],
    starts: [
      ['webhook', 'order'],
      ['schedule', 'morning'],
      ['schedule', 'hourly'],
      ['schedule', 'hourly'],
    ],
  })
  const [newest] = app.runs()
  expect(app.stepsOf(newest!).map(({ ref_id: ref, path }) => [ref, path])).toEqual([
    ['hourly', '3'],
    ['seen', '4'],
  ])
  const times = async (ref: string) =>
    (await app.call('GET', `/v1/flows/${id}/schedule?ref_id=${ref}`)).json as { next: string[] }
  expect((await times('morning')).next[0]).toBe('2026-03-02T09:00:00.000Z')
  expect((await times('hourly')).next[0]).toBe('2026-03-01T11:00:00.000Z')
  expect((await app.call('GET', `/v1/flows/${id}/schedule?ref_id=evening`)).json).toMatchObject({
    data: {
      ref_id: ['is "evening"; the triggers of the flow "Orders" are order, morning, hourly'],
    },
  })
  const only = await app.call('GET', '/v1/flow-runs?filter=trigger_ref,eq,morning')
  expect(startsOf(only.json as FlowRun[])).toEqual([['schedule', 'morning']])
})

it('a manual start, a replay and a rerun say by which trigger they begin', async () => {
  const { app } = await startAt('2026-03-01T08:30:00Z')
  const { id } = await save(app, [MORNING, ORDER, SEEN])
  const run = async (body: object) =>
    (await app.call('POST', `/v1/flows/${id}/run?wait=true`, body)).json as FlowRun
  const usual = await run({})
  const named = await run({ trigger: 'order', input: { amount: 7 } })
  expect([usual, named].map((one) => [one.status, one.trigger_ref])).toEqual([
    ['success', 'morning'],
    ['success', 'order'],
  ])
  await app.call('POST', `/v1/flow-runs/${named.id}/replay`, {})
  await app.call('POST', `/v1/flow-runs/${named.id}/rerun`, { from: 'seen' })
  const order = { by: 'order', type: 'webhook', output: { amount: 7 }, isOrder: true }
  expect((await seen(app)).slice(1)).toEqual([order, order, order])
  const answers = (await app.call('GET', '/v1/flow-runs?answers=true')).json as { answer?: object }[]
  expect(answers.map(({ answer }) => answer !== undefined)).toEqual([true, true, true, false])
  expect((await run({ trigger: 'seen' })) as object).toMatchObject({
    data: { trigger: ['is "seen"; the triggers of the flow "Orders" are morning, order'] },
  })
})

it('a disabled trigger starts nothing, and the others go on', async () => {
  const { app, lookAt } = await startAt('2026-03-01T08:30:00Z')
  const { id, webhook } = await save(app, [ORDER, MORNING, HOURLY, SEEN])
  await change(app, id, {
    steps: [{ ...ORDER, disabled: true }, { ...MORNING, disabled: true }, HOURLY, SEEN],
  })
  await lookAt('2026-03-01T09:00:00Z')
  const hook = { path: `/v1/flow-webhook/${id}`, token: webhook?.token ?? '' }
  expect((await app.trigger(hook, { body: {} })).status).toBe(404)
  await seen(app)
  expect(startsOf(app.runs())).toEqual([['schedule', 'hourly']])
})

it('a schedule that is renamed, or gets another trigger above it, goes on where it was', async () => {
  const { app, lookAt } = await startAt('2026-03-01T08:30:00Z')
  const { id } = await save(app, [HOURLY, SEEN])
  await lookAt('2026-03-01T09:00:00Z')
  const lastFired = async (query = '') =>
    (await app.call('GET', `/v1/flows/${id}/schedule${query}`)).json as { last_fired_at: string }
  await change(app, id, { steps: [{ ...HOURLY, ref_id: 'each_hour' }, SEEN] })
  expect((await lastFired()).last_fired_at).toBe('2026-03-01T09:00:00.000Z')
  await change(app, id, { steps: [MORNING, { ...HOURLY, ref_id: 'each_hour' }, SEEN] })
  await lookAt('2026-03-01T10:00:00Z')
  expect([
    await lastFired('?ref_id=each_hour'),
    await lastFired('?ref_id=morning'),
    await lastFired(),
  ]).toMatchObject([
    { last_fired_at: '2026-03-01T10:00:00.000Z' },
    { last_fired_at: null },
    { last_fired_at: '2026-03-01T10:00:00.000Z' },
  ])
  await seen(app)
  expect(startsOf(app.runs())).toEqual([
    ['schedule', undefined],
    ['schedule', 'each_hour'],
  ])
})

it('what list and folder triggers of a flow have found is kept for each, across a restart', async () => {
  const shop = { orders: [1], status: 200 }
  const api = await startThirdPartyApi((_call, response) => {
    response.statusCode = shop.status
    response.setHeader('Content-Type', 'application/rss+xml')
    const items = shop.orders.map((id) => `<item><guid>${id}</guid><title>${id}</title></item>`)
    response.end(`<rss version="2.0"><channel><title>Orders</title>${items.join('')}</channel></rss>`)
  })
  const watched = temporaryFolder()
  const dataDir = temporaryFolder()
  const settings = { file_folders: [watched] }
  const first = await startAt('2026-03-01T12:00:00Z', { dataDir, settings })
  const entries: StepInput = {
    ref_id: 'entry',
    type: 'list_trigger',
    config: { source: 'feed', url: `${api.url}/orders`, every_minutes: 5 },
  }
  const inbox = (refId: string, name: string): StepInput => ({
    ref_id: refId,
    type: 'folder_trigger',
    config: { path: join(watched, name), every_minutes: 5, settle_seconds: 0 },
  })
  for (const name of ['a', 'b']) mkdirSync(join(watched, name))
  const { id } = await save(first.app, [entries, inbox('in_a', 'a'), inbox('in_b', 'b'), SEEN])
  await first.lookAt('2026-03-01T12:00:01Z')
  shop.orders.push(2)
  writeFileSync(join(watched, 'b', 'one.txt'), '1')
  const later = new Date(Date.now() + 3_600_000).toISOString()
  await first.lookAt(later)
  await first.lookAt(new Date(Date.parse(later) + 300_000).toISOString())
  await seen(first.app)
  expect(new Set(startsOf(first.app.runs()).map(String))).toEqual(new Set(['folder,in_b', 'list,entry']))
  const state = async (app: FlowApp, ref: string) =>
    (await app.call('GET', `/v1/flows/${id}/trigger?ref_id=${ref}`)).json as FlowTrigger
  expect([
    await state(first.app, 'entry'),
    await state(first.app, 'in_a'),
    await state(first.app, 'in_b'),
  ]).toMatchObject([
    { type: 'list_trigger', found: 1, active: true },
    { type: 'folder_trigger', found: 0, active: true },
    { type: 'folder_trigger', found: 1, active: true },
  ])
  await stop(first.app)

  shop.status = 500
  const second = await startAt(new Date(Date.parse(later) + 600_000).toISOString(), { dataDir, settings })
  await second.app.services.triggers.look()
  expect(second.app.runs()).toHaveLength(2)
  expect([await state(second.app, 'entry'), await state(second.app, 'in_b')]).toMatchObject([
    { found: 1, failures: 1 },
    { found: 1, failures: 0 },
  ])
  // Restarting one of them leaves the others as they are.
  await second.app.call('POST', `/v1/flows/${id}/trigger/restart?ref_id=in_a`)
  expect(await state(second.app, 'in_b')).toMatchObject({ found: 1 })
})
