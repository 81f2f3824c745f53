import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RunStop } from '../../../src/shared/contract/reach/breakpoints.ts'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, type Hook, startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const set = (ref_id: string, values: Record<string, unknown>): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
})
const START: StepInput = { ref_id: 'web1', type: 'webhook', config: {} }

/** A flow with breakpoints, and a test run of it. */
async function started(
  steps: readonly StepInput[],
  breakpoints: Readonly<Record<string, object>>,
  { input = { n: 1 }, isTest = true }: { input?: object; isTest?: boolean } = {},
) {
  const app = await startFlowApp()
  const hook = await app.addFlow([START, ...steps])
  for (const [ref, body] of Object.entries(breakpoints))
    expect(await app.call('PUT', `/v1/flows/${hook.flow.id}/breakpoints/${ref}`, body)).toMatchObject({
      status: 200,
    })
  return { app, hook, id: await run(app, hook, { input, test: isTest }) }
}

async function run(app: FlowApp, { flow }: Hook, body: object): Promise<string> {
  const answer = await app.call('POST', `/v1/flows/${flow.id}/run`, body)
  return (answer.json as { flow_run_id: string }).flow_run_id
}

async function stopsOf(app: FlowApp, id: string): Promise<RunStop[]> {
  return (await app.call('GET', `/v1/flow-runs/${id}/breakpoint`)).json as RunStop[]
}

/** Resolves once the run has stopped. */
async function stopped(app: FlowApp, id: string, but: readonly string[] = []): Promise<RunStop> {
  for (;;) {
    const stop = (await stopsOf(app, id)).find((one) => !but.includes(one.id))
    if (stop !== undefined) return stop
    await wait(5)
  }
}

const decide = async (app: FlowApp, id: string, body: object) =>
  (await app.call('POST', `/v1/flow-runs/${id}/breakpoint`, body)).status

const ended = (app: FlowApp, id: string): Promise<FlowRun> =>
  app.until((one) => one.id === id && one.finished_at !== null)

const outputs = (app: FlowApp, found: FlowRun) =>
  app.stepsOf(found).map(({ ref_id, output, iteration }) => [ref_id, ...iteration, output])

describe('a test run', () => {
  it('stops before the step, parked, shows its input and the data, and continues', async () => {
    const { app, id } = await started([set('a', { x: '{{ web1.n + 1 }}' }), set('b', { y: 2 })], { a: {} })
    const stop = await stopped(app, id)
    expect(stop).toMatchObject({
      ref_id: 'a',
      iteration: [],
      input: { values: { x: 2 } },
      data: { web1: { n: 1 } },
    })
    const { json } = await app.call('GET', `/v1/flow-runs/${id}`)
    expect(json).toMatchObject({ stopped: true, finished_at: null })
    expect(app.store.runQueue.count()).toMatchObject({ taken: 0 })
    expect(await decide(app, id, { do: 'continue' })).toBe(204)
    const run = await ended(app, id)
    expect([run.status, outputs(app, run)]).toEqual([
      'success',
      [
        ['web1', { n: 1 }],
        ['a', { x: 2 }],
        ['b', { y: 2 }],
      ],
    ])
    expect(await decide(app, id, { do: 'continue' })).toBe(409)
    expect(await stopsOf(app, id)).toEqual([])
  })

  it('runs the step with its edited input; what looks like a template in it is none', async () => {
    const steps = [set('a', { x: '{{ web1.n }}', kept: '{{ web1.n + 1 }}' })]
    const { app, id } = await started(steps, { a: {} })
    const stop = await stopped(app, id)
    const values = { ...(stop.input.values as object), x: '{{ web1.n }}!' }
    expect(await decide(app, id, { do: 'continue', input: { ...stop.input, values } })).toBe(204)
    const found = await ended(app, id)
    expect(outputs(app, found)).toEqual([
      ['web1', { n: 1 }],
      ['a', { x: '{{ web1.n }}!', kept: 2 }],
    ])
  })

  it('is refused an input that the step could not have, and still waits', async () => {
    const { app, id } = await started([set('a', { x: 1 })], { a: {} })
    await stopped(app, id)
    expect(await decide(app, id, { do: 'continue', input: { unknown: 1 } })).toBe(400)
    expect(await decide(app, id, { do: 'continue' })).toBe(204)
    expect(await ended(app, id)).toMatchObject({ status: 'success' })
  })

  it('calls an API with the edited input only, and with none if the step is skipped', async () => {
    const api = await startThirdPartyApi((_, response) => response.end('{}'))
    const rest = (ref_id: string): StepInput => ({
      ref_id,
      type: 'rest',
      config: { method: 'GET', url: `${api.url}/{{ web1.n }}` },
    })
    const { app, id } = await started([rest('one'), rest('two')], { one: {}, two: {} })
    const one = await stopped(app, id)
    expect(one.input.url).toBe(`${api.url}/1`)
    await decide(app, id, { do: 'continue', input: { ...one.input, url: `${api.url}/edited` } })
    await stopped(app, id, [one.id])
    await decide(app, id, { do: 'skip', result: { body: 'instead' } })
    const found = await ended(app, id)
    expect(outputs(app, found).at(-1)).toEqual(['two', { body: 'instead' }])
    expect(app.stepsOf(found).at(-1)?.warnings).toMatchObject([{ code: 'skipped' }])
    expect(api.received.map(({ target }) => target)).toEqual(['/edited'])
  })

  it('steps over one step after the other, into the steps of a condition', async () => {
    const steps: StepInput[] = [
      set('a', { x: 1 }),
      {
        ref_id: 'check',
        type: 'condition',
        config: { when: 'a.x == 1' },
        then: [set('inside', { x: 2 })],
      },
      set('b', { x: 3 }),
    ]
    const { app, id } = await started(steps, { a: {} })
    const seen: RunStop[] = []
    for (let at = 0; at < 4; at++) {
      const stop = await stopped(
        app,
        id,
        seen.map((one) => one.id),
      )
      seen.push(stop)
      await decide(app, id, { do: 'step' })
    }
    expect(seen.map((stop) => stop.ref_id)).toEqual(['a', 'check', 'inside', 'b'])
    expect(await ended(app, id)).toMatchObject({ status: 'success' })
  })

  it('stops in each iteration of a loop that meets the condition', async () => {
    const steps: StepInput[] = [
      {
        ref_id: 'all',
        type: 'loop',
        config: { over: '{{ web1.list }}' },
        steps: [set('a', { x: '{{ item }}' })],
      },
    ]
    const { app, id } = await started(
      steps,
      { a: { condition: '{{ item > 1 }}' } },
      { input: { list: [1, 2, 3] } },
    )
    const first = await stopped(app, id)
    expect(first).toMatchObject({ ref_id: 'a', iteration: [1], data: { item: 2, index: 1 } })
    await decide(app, id, { do: 'skip', result: { x: 'skipped' } })
    const second = await stopped(app, id, [first.id])
    expect(second).toMatchObject({ iteration: [2], data: { item: 3 } })
    await decide(app, id, { do: 'continue' })
    const found = await ended(app, id)
    expect(outputs(app, found).filter(([ref]) => ref === 'a')).toEqual([
      ['a', 0, { x: 1 }],
      ['a', 1, { x: 'skipped' }],
      ['a', 2, { x: 3 }],
    ])
  })

  it('stops at several places in parallel branches, each decided by its ID', async () => {
    const steps: StepInput[] = [
      {
        ref_id: 'both',
        type: 'parallel',
        config: {},
        cases: [
          { label: 'Left', steps: [set('left', { x: 1 })] },
          { label: 'Right', steps: [set('right', { x: 2 })] },
        ],
      },
    ]
    const { app, id } = await started(steps, { left: {}, right: {} })
    let stops = await stopsOf(app, id)
    while (stops.length < 2) stops = await stopsOf(app, id)
    const right = stops.find((one) => one.ref_id === 'right')
    await decide(app, id, { do: 'skip', id: right?.id, result: { x: 'skipped' } })
    while ((await stopsOf(app, id)).length > 1) await wait(5)
    expect(await stopsOf(app, id)).toMatchObject([{ ref_id: 'left' }])
    await decide(app, id, { do: 'continue' })
    const found = await ended(app, id)
    expect(
      outputs(app, found)
        .filter(([ref]) => ref !== 'both' && ref !== 'web1')
        .toSorted(([a], [b]) => (a as string).localeCompare(b as string)),
    ).toEqual([
      ['left', { x: 1 }],
      ['right', { x: 'skipped' }],
    ])
  })

  it('is cancelled where it has stopped', async () => {
    const { app, id } = await started([set('a', { x: 1 })], { a: {} })
    await stopped(app, id)
    expect(await decide(app, id, { do: 'stop' })).toBe(204)
    const found = await ended(app, id)
    expect([found.status, outputs(app, found)]).toEqual(['cancelled', [['web1', { n: 1 }]]])
  })

  it('shows no secrets, and keeps them where nothing was edited', async () => {
    const app = await startFlowApp()
    const secret = 'a-very-secret-value-4711'
    await app.call('POST', '/v1/env-variables', { name: 'KEY', type: 'text', value: secret, secret: true })
    const hook = await app.addFlow([START, set('a', { key: '{{ KEY }}', x: 1 })])
    await app.call('PUT', `/v1/flows/${hook.flow.id}/breakpoints/a`, {})
    const id = await run(app, hook, { input: {}, test: true })
    const stop = await stopped(app, id)
    expect(stop.input).toMatchObject({ values: { key: '***' } })
    const values = { ...(stop.input.values as object), x: 2 }
    await decide(app, id, { do: 'continue', input: { ...stop.input, values } })
    const found = await ended(app, id)
    expect(outputs(app, found).at(-1)).toEqual(['a', { key: '***', x: 2 }])
    expect(JSON.stringify(app.services.flowRuns.resultsOf(id))).toContain(secret)
  })
})

describe('other runs', () => {
  it('stop only at breakpoints that are for all runs', async () => {
    const { app, hook, id } = await started([set('a', { x: 1 })], { a: {} }, { isTest: false })
    expect(await ended(app, id)).toMatchObject({ status: 'success' })
    await app.call('PUT', `/v1/flows/${hook.flow.id}/breakpoints/a`, { real_runs: true })
    const next = await run(app, hook, { input: {} })
    await stopped(app, next)
    await decide(app, next, { do: 'continue' })
    expect(await ended(app, next)).toMatchObject({ status: 'success' })
    expect((await app.call('DELETE', `/v1/flows/${hook.flow.id}/breakpoints/a`)).status).toBe(204)
    expect((await app.call('DELETE', `/v1/flows/${hook.flow.id}/breakpoints/a`)).status).toBe(404)
    expect((await app.call('GET', `/v1/flows/${hook.flow.id}/breakpoints`)).json).toEqual([])
  })

  it('whose callers wait get a 408, and continue once that is decided', async () => {
    const app = await startFlowApp({ answerWithinMs: 300 })
    const hook = await app.addFlow([
      { ref_id: 'web1', type: 'webhook', config: { response_body: 'ok' } },
      set('a', { x: 1 }),
    ])
    await app.call('PUT', `/v1/flows/${hook.flow.id}/breakpoints/a`, { real_runs: true })
    expect((await app.trigger(hook, { body: {} })).status).toBe(408)
    const [{ id } = { id: '' }] = app.runs()
    await stopped(app, id)
    expect(await decide(app, id, { do: 'continue' })).toBe(204)
    expect(await ended(app, id)).toMatchObject({ status: 'success' })
  })
})

it('a breakpoint needs a flow, the name of a step, and a condition that is a template', async () => {
  const app = await startFlowApp()
  const hook = await app.addFlow([START])
  const put = async (flowId: string, ref: string, body: object) =>
    (await app.call('PUT', `/v1/flows/${flowId}/breakpoints/${ref}`, body)).status
  expect([
    await put('none', 'a', {}),
    await put(hook.flow.id, 'a-b', {}),
    await put(hook.flow.id, 'a', { condition: '{{ a. }}' }),
    await put(hook.flow.id, 'a', { condition: '{{ a.b }}' }),
  ]).toEqual([404, 400, 400, 200])
})
