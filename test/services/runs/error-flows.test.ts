import { describe, expect, it } from 'vitest'
import type { LiveEvent } from '../../../src/shared/contract/host.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { startFailureNotices } from '../../../src/main/services/running/runs/failure-notices.ts'
import { jsonCodec } from '../../../src/main/services/kit/json-codec.ts'
import { type FlowApp, realClock, startFlowApp } from '../../helpers/flow-app.ts'
import { aFlow, aFlowRun } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const webhook = (config: object = {}): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config: { ...config },
})
const FAILS: StepInput = { ref_id: 'broken', type: 'stop', config: { status: 'error', message: 'no stock' } }
const NAMES = ['error_flow_id', 'error_flow_name', 'error_flow_run_id', 'error_step', 'error_message']
const HANDLER: StepInput[] = [
  webhook(),
  {
    ref_id: 'told',
    type: 'set',
    config: { values: Object.fromEntries(NAMES.map((name) => [name, `{{ ${name} }}`])) },
  },
]

/** Resolves once nothing is running any more. */
async function settle(app: FlowApp): Promise<void> {
  await app.store.write(() => undefined)
  for (const { id } of app.runs()) await app.until((run) => run.id === id && run.finished_at !== null)
}

describe('an error handling flow', () => {
  it.each([true, false])('gets the failed run, the step and the reason (asynchronous: %s)', async (async) => {
    const app = await startFlowApp()
    const handler = await app.addFlow(HANDLER, { name: 'Tell me' })
    const hook = await app.addFlow([webhook({ async }), FAILS], {
      name: 'Orders',
      settings: { error_handling_flow_id: handler.flow.id },
    })
    expect((await app.trigger(hook)).status).toBe(async ? 200 : 500)
    const failed = await app.until(({ status }) => status === 'error')
    const run = await app.until((one) => one.flow_id === handler.flow.id && one.status === 'success')
    const told = {
      error_flow_id: hook.flow.id,
      error_flow_name: 'Orders',
      error_flow_run_id: failed.id,
      error_step: 'broken',
      error_message: failed.error!.message,
    }
    expect(run).toMatchObject({ trigger: 'flow', parent_run_id: failed.id })
    expect(app.stepsOf(run).map(({ output }) => output)).toEqual([told, told])
    expect(told.error_message).toContain('no stock')
  })

  it('runs for a flow that keeps no history', async () => {
    const app = await startFlowApp()
    const handler = await app.addFlow(HANDLER)
    const hook = await app.addFlow([webhook({ async: true }), FAILS], {
      settings: { error_handling_flow_id: handler.flow.id, data_retention_days: 0 },
    })
    await app.trigger(hook)
    await app.until((one) => one.flow_id === handler.flow.id && one.status === 'success')
    expect(app.runs().map(({ flow_id: id }) => id)).toEqual([handler.flow.id])
  })

  it('that fails itself starts no other, not even in a cycle', async () => {
    const app = await startFlowApp()
    const first = await app.addFlow([webhook(), FAILS])
    const second = await app.addFlow([webhook({ async: true }), FAILS], {
      settings: { error_handling_flow_id: first.flow.id },
    })
    await app.call('PUT', `/v1/flows/${first.flow.id}`, {
      settings: { error_handling_flow_id: second.flow.id },
    })
    await app.trigger(second)
    const handling = await app.until((run) => run.flow_id === first.flow.id && run.status === 'error')
    await settle(app)
    const replayed = await app.call('POST', `/v1/flow-runs/${handling.id}/replay`)
    const { flow_run_id: id } = replayed.json as { flow_run_id: string }
    await app.until((run) => run.id === id && run.status === 'error')
    await settle(app)
    expect(app.runs().map((run) => run.flow_id)).toEqual([first.flow.id, first.flow.id, second.flow.id])
  })

  it('does not run while it is paused, nor for a run that was cancelled', async () => {
    const app = await startFlowApp()
    const api = await startThirdPartyApi(() => undefined)
    const paused = await app.addFlow(HANDLER, { status: 'paused' })
    const active = await app.addFlow(HANDLER)
    const failing = await app.addFlow([webhook({ async: true }), FAILS], {
      settings: { error_handling_flow_id: paused.flow.id },
    })
    const hanging = await app.addFlow(
      [webhook({ async: true }), { ref_id: 'call', type: 'rest', config: { url: api.url } }],
      { settings: { error_handling_flow_id: active.flow.id } },
    )
    await app.trigger(failing)
    await app.trigger(hanging)
    const { id } = await app.until((run) => run.flow_id === hanging.flow.id && run.status === 'running')
    await app.call('POST', `/v1/flow-runs/${id}/cancel`)
    await settle(app)
    expect(
      app
        .runs()
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual(['cancelled', 'error'])
  })

  it('runs for a run that was interrupted when the program ended', async () => {
    const dataDir = temporaryFolder()
    const before = await aStore({ dataDir, clock: realClock, json: jsonCodec })
    const handler = aFlow({ steps: [] })
    const flow = aFlow({ settings: { error_handling_flow_id: handler.id } })
    const id = before.flowRuns.newId()
    await before.write(() => {
      before.flows.insert(handler)
      before.flows.insert(flow)
      before.flowRuns.insert(aFlowRun({ id, flow_id: flow.id, status: 'running', finished_at: null }))
    })
    before.close()
    const app = await startFlowApp({ dataDir })
    const run = await app.until((one) => one.flow_id === handler.id && one.status === 'success')
    expect(run.parent_run_id).toBe(id)
  })

  it('can use the names of the failure in its templates without a webhook step', async () => {
    const app = await startFlowApp()
    const created = await app.call('POST', '/v1/flows', { name: 'Tell me', steps: HANDLER.slice(1) })
    expect(created.status).toBe(201)
  })
})

describe('automatic retries', () => {
  const call = (url: string, method: string): StepInput => ({
    ref_id: 'call',
    type: 'rest',
    config: { url, method },
  })

  it('park a run that is asked to wait longer than a minute, and show until when', async () => {
    const app = await startFlowApp()
    const api = await startThirdPartyApi((_request, response) =>
      response.writeHead(429, { 'Retry-After': '120' }).end(),
    )
    const hook = await app.addFlow([webhook({ async: true }), call(api.url, 'POST')])
    await app.trigger(hook)
    const run = await app.until(({ status }) => status === 'retrying')
    while (app.store.runQueue.count().parked === 0) await app.store.write(() => undefined)
    const [, step] = app.stepsOf(run)
    const wakesAt = app.store.runQueue.nextWakeAt() ?? ''
    expect({
      queued: app.store.runQueue.count(),
      status: step!.status,
      message: step!.warnings[0]?.message,
    }).toEqual({
      queued: { ready: 0, parked: 1, taken: 0 },
      status: 'retrying',
      message: expect.stringContaining(`continues at ${wakesAt.slice(0, 16)}`),
    })
    expect(Date.parse(wakesAt) - Date.parse(run.created_at)).toBeGreaterThanOrEqual(120_000)
  })

  it('happen for a call that writes only if the response asks for it, and not at all if the flow disables them', async () => {
    const app = await startFlowApp()
    const called: string[] = []
    const api = await startThirdPartyApi(({ method, target }, response) => {
      const isFirst = !called.includes(`${method} ${target}`)
      called.push(`${method} ${target}`)
      const status = Number(target.slice(1, 4))
      response.writeHead(isFirst ? status : 200, { 'Retry-After': '0' }).end('{}')
    })
    const cut = await startThirdPartyApi(({ method }, response) => {
      called.push(`${method} cut`)
      response.destroy()
    })
    const runs: [string, string, boolean][] = [
      [`${api.url}/503/a`, 'POST', true],
      [`${api.url}/429/b`, 'DELETE', true],
      [`${api.url}/429/c`, 'POST', false],
      [`${cut.url}/`, 'PATCH', true],
    ]
    const statuses: string[] = []
    for (const [url, method, automatic] of runs) {
      const hook = await app.addFlow([webhook({ async: true }), call(url, method)], {
        settings: { automatic_retries: automatic },
      })
      await app.trigger(hook)
      statuses.push(
        (await app.until((run) => run.flow_id === hook.flow.id && run.finished_at !== null)).status,
      )
    }
    expect({ called, statuses }).toEqual({
      called: ['POST /503/a', 'POST /503/a', 'DELETE /429/b', 'DELETE /429/b', 'POST /429/c', 'PATCH cut'],
      statuses: ['success', 'success', 'error', 'error'],
    })
  })
})

it('failed runs are reported at once, and later ones together', async () => {
  const heard: LiveEvent[] = []
  const listeners: ((event: LiveEvent) => void)[] = []
  const told = Promise.withResolvers<void>()
  const events = {
    listen: (listener: (event: LiveEvent) => void) => void listeners.push(listener),
    emit(event: LiveEvent) {
      heard.push(event)
      if (heard.length === 3) told.resolve()
    },
  }
  const notices = startFailureNotices({
    events,
    flowOf: (id) => ({ name: `Flow ${id}`, isTold: true }),
    gatherMs: 20,
  })
  const fail = (flow: string, id: string) => {
    for (const listener of listeners)
      listener({ type: 'updated', noun: 'flow_run', id, flow_id: flow, status: 'error' })
  }
  for (const [flow, id] of ['a1', 'b1', 'a2', 'a3'].map((id) => [id.charAt(0), id] as const)) fail(flow, id)
  await told.promise
  notices.stop()
  fail('c', 'interrupted by the stop')
  expect(heard.map(({ flow_name: name, count, flow_run_id: run }) => [name, count, run])).toEqual([
    ['Flow a', 1, 'a1'],
    ['Flow b', 1, 'b1'],
    ['Flow a', 2, 'a3'],
  ])
})
