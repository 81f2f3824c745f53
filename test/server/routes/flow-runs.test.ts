import { describe, expect, it } from 'vitest'
import type {
  FailureCause,
  FlowRun,
  FlowRunStep,
  ListedFlowRun,
} from '../../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const webhook = (config: Record<string, unknown> = {}): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config,
})
const set = (ref_id: string, values: Record<string, unknown>): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
})
const delay = (seconds: number): StepInput => ({ ref_id: 'wait', type: 'delay', config: { seconds } })

/** A step whose call never gets a response. */
async function aLongWait(): Promise<StepInput> {
  const { url } = await startThirdPartyApi(() => undefined)
  return { ref_id: 'wait', type: 'rest', config: { url } }
}

const hasEnded = ({ status }: FlowRun) => ['success', 'error', 'cancelled'].includes(status)
const byHand = async (app: FlowApp, flowId: string, body: object = {}) => {
  const answer = await app.call('POST', `/v1/flows/${flowId}/run`, body)
  const { flow_run_id: id } = answer.json as { flow_run_id: string }
  return { answer, id }
}

describe('a manual run', () => {
  it('is accepted, and runs with the given input', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([
      webhook({ response_body: 'not asked for' }),
      set('a', { n: '{{ web1.n * 2 }}' }),
    ])
    const { answer, id } = await byHand(app, flow.id, { input: { n: 21 } })
    expect(answer.status).toBe(202)
    const run = await app.until((each) => each.id === id && hasEnded(each))
    expect(run).toMatchObject({
      trigger: 'manual',
      status: 'success',
      title: 'Test flow',
      attempt: 1,
      parent_run_id: null,
    })
    expect(app.stepsOf(run)[1]).toMatchObject({ ref_id: 'a', output: { n: 42 } })
  })

  it('is waited for if the caller asks for that', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([set('bad', { x: '{{ 1 / 0 }}' })])
    const answer = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    expect(answer).toMatchObject({
      status: 200,
      json: { status: 'error', error: { ref_id: 'bad' }, flow_id: flow.id },
    })
    expect(await app.call('GET', `/v1/flow-runs/${(answer.json as FlowRun).id}`)).toMatchObject({
      json: answer.json as object,
    })
  })

  it('is rejected if the flow is paused or does not exist', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([set('a', {})], { status: 'paused' })
    expect((await byHand(app, flow.id)).answer).toMatchObject({ status: 409, json: { error: 'conflict' } })
    expect((await byHand(app, 'nope')).answer.status).toBe(404)
  })

  it('runs the unsaved steps of the editor, and keeps them whatever is saved in the meantime', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([set('a', { from: 'saved' })])
    await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps: [set('a', { from: 'the editor' })] })
    const answer = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, { working_copy: true })
    expect(app.stepsOf(answer.json as FlowRun)[0]?.output).toEqual({ from: 'the editor' })

    const { id } = await byHand(app, flow.id, { working_copy: true })
    const run = await app.until((each) => each.id === id && hasEnded(each))
    expect(app.stepsOf(run)[0]?.output).toEqual({ from: 'the editor' })
    await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps: [{ ref_id: '1 a', type: 'set' }] })
    expect(await app.call('POST', `/v1/flows/${flow.id}/run`, { working_copy: true })).toMatchObject({
      status: 400,
      json: { error: 'validation' },
    })
  })
})

describe('a test of the steps before one', () => {
  const unfinished: StepInput = { ref_id: 'kept', type: 'filter', config: { when: '{{ item }}' } }
  const test = (app: FlowApp, id: string, before: string) =>
    app.call('POST', `/v1/flows/${id}/run?wait=true`, { working_copy: true, test: true, before })

  it('runs neither that step nor those after it, has no response, and is not counted as activity', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([webhook({ response_body: 'whole' })])
    const steps = [webhook(), set('a', { n: 1 }), unfinished, set('after', {})]
    await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps })
    const run = (await test(app, flow.id, 'kept')).json as FlowRun
    const refs = app.stepsOf(run).map(({ ref_id: ref }) => ref)
    expect({ status: run.status, trigger: run.trigger, refs }).toEqual({
      status: 'success',
      trigger: 'test',
      refs: ['web1', 'a'],
    })
    const failed = (await test(app, flow.id, 'after')).json as FlowRun
    expect({ status: failed.status, at: failed.error?.ref_id }).toEqual({ status: 'error', at: 'kept' })
    for (const { id } of [run, failed])
      expect(await app.call('GET', `/v1/flow-runs/${id}/response`)).toMatchObject({ status: 404 })
    expect((await app.call('GET', '/v1/flow-runs/activity')).json).toEqual([])
    const counted = '/v1/flow-runs?filter=status,eq,error&filter=trigger,ne,test'
    expect((await app.call('GET', counted)).json).toEqual([])
    expect(await test(app, flow.id, 'nowhere')).toMatchObject({
      status: 400,
      json: { data: { before: ['is "nowhere", but no step of the flow has that name'] } },
    })
  })

  it('goes only into the branch that leads to it', async () => {
    const app = await startFlowApp()
    const branch = (name: string): StepInput[] => [set(name, {}), { ...unfinished, ref_id: `${name}_kept` }]
    const { flow } = await app.addFlow([webhook()])
    const steps: StepInput[] = [
      webhook(),
      {
        ref_id: 'choice',
        type: 'switch',
        config: { value: '{{ web1.to }}' },
        cases: [
          { label: 'a', steps: branch('a') },
          { label: 'b', steps: branch('b') },
        ],
        default: branch('other'),
      },
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ [1, 2] }}' },
        steps: [
          {
            ref_id: 'if',
            type: 'condition',
            config: { when: '{{ item == 1 }}' },
            then: branch('yes'),
            else: branch('no'),
          },
        ],
      },
    ]
    await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps })
    const ran = async (to: string, before: string) => {
      const body = { working_copy: true, test: true, before, input: { to } }
      const { json } = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`, body)
      return app.stepsOf(json as FlowRun).map(({ ref_id: ref }) => ref)
    }
    expect(await ran('b', 'b_kept')).toEqual(['web1', 'choice', 'b'])
    expect(await ran('b', 'a_kept')).toEqual(['web1', 'choice'])
    expect(await ran('c', 'other_kept')).toEqual(['web1', 'choice', 'other'])
    await app.call('PUT', `/v1/flows/${flow.id}/working-copy`, { steps: [steps[0], steps[2]] })
    expect(await ran('', 'no_kept')).toEqual(['web1', 'each', 'if', 'if', 'no'])
    expect(await ran('', 'yes_kept')).toEqual(['web1', 'each', 'if', 'yes', 'if'])
  })
})

describe('a run', () => {
  it('is cancelled while it waits, together with its request in flight, or while it is queued', async () => {
    const app = await startFlowApp()
    const waits = await aLongWait()
    const { flow } = await app.addFlow([webhook(), waits, set('never', {})], {
      settings: { concurrency: 1 },
    })
    const [first, second] = [await byHand(app, flow.id), await byHand(app, flow.id)]
    await app.until(({ id, status }) => id === first.id && status === 'running')
    const waiting = await app.call('POST', `/v1/flow-runs/${second.id}/cancel`)
    const running = await app.call('POST', `/v1/flow-runs/${first.id}/cancel`)
    expect({ waiting, running }).toMatchObject({
      waiting: { status: 200, json: { status: 'cancelled' } },
      running: { status: 200, json: { status: 'cancelled' } },
    })
    expect(
      app.runs().map((run) => app.stepsOf(run).map(({ ref_id, status }) => `${ref_id}:${status}`)),
    ).toEqual([[], ['web1:success', 'wait:error']])
    expect(await app.call('POST', `/v1/flow-runs/${first.id}/cancel`)).toMatchObject({ status: 409 })
  })

  it('ends together with its unfinished steps when it is cancelled while parked', async () => {
    const app = await startFlowApp()
    const api = await startThirdPartyApi((_request, response) =>
      response.writeHead(429, { 'Retry-After': '90' }).end(),
    )
    const each: StepInput = {
      ref_id: 'each',
      type: 'loop',
      config: { over: [1] },
      steps: [{ ref_id: 'call', type: 'rest', config: { url: api.url } }],
    }
    const { flow } = await app.addFlow([webhook(), each])
    const { id } = await byHand(app, flow.id)
    await app.until((run) => run.id === id && run.parked_until !== undefined)
    const { json } = await app.call('POST', `/v1/flow-runs/${id}/cancel`)
    const error = { code: 'cancelled', message: 'The run was cancelled' }
    expect(json).toMatchObject({ status: 'cancelled', duration_ms: expect.any(Number) as number, error })
    const steps = app.stepsOf(json as FlowRun).slice(1)
    expect(steps).toMatchObject(
      ['each', 'call'].map((ref_id) => ({
        status: 'error',
        duration_ms: expect.any(Number) as number,
        error: { ...error, ref_id },
      })),
    )
  })

  it('is cancelled while it is about to be parked', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([delay(300)])
    const cancelled = Promise.withResolvers<FlowRun>()
    let isAsked = false
    // Requested right after the commit in which the run releases its worker.
    app.services.events.listen(({ noun, type, id }) => {
      if (isAsked || noun !== 'flow_run' || type !== 'updated') return
      isAsked = true
      cancelled.resolve(app.services.flowRuns.cancel(id!))
    })
    await byHand(app, flow.id)
    expect((await cancelled.promise).status).toBe('cancelled')
  })

  it('aborts the request in flight when it is cancelled', async () => {
    const app = await startFlowApp()
    const aborted = Promise.withResolvers<void>()
    const api = await startThirdPartyApi((_request, response) => void response.once('close', aborted.resolve))
    const { flow } = await app.addFlow([{ ref_id: 'call', type: 'rest', config: { url: api.url } }])
    const { id } = await byHand(app, flow.id)
    await app.until(() => api.received.length === 1)
    expect(await app.call('POST', `/v1/flow-runs/${id}/cancel`)).toMatchObject({
      json: { status: 'cancelled' },
    })
    await aborted.promise
  })

  it('is replayed with the same input, on the current version or a given one', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      webhook({ response_body: 'hi' }),
      set('a', { v: '1 {{ web1.secret }} {{ webhook.headers["x-a"] }}' }),
    ])
    await app.trigger(hook, { body: { secret: `is ${hook.token}` }, headers: { 'x-a': 'kept' } })
    const [original] = app.runs()
    await app.call('PUT', `/v1/flows/${hook.flow.id}`, { steps: [webhook(), set('a', { v: '2' })] })
    const replay = async (body: object) => {
      const answer = await app.call('POST', `/v1/flow-runs/${original!.id}/replay`, body)
      const { flow_run_id: id } = answer.json as { flow_run_id: string }
      const run = await app.until((each) => each.id === id && hasEnded(each))
      return [answer.status, run.trigger, run.parent_run_id, run.flow_version, app.stepsOf(run)[1]?.output]
    }
    expect(await replay({})).toEqual([202, 'replay', original!.id, 2, { v: '2' }])
    expect(await replay({ version: 1 })).toEqual([202, 'replay', original!.id, 1, { v: '1 is *** kept' }])
    expect(await app.call('POST', `/v1/flow-runs/${original!.id}/replay`, { version: 9 })).toMatchObject({
      status: 400,
    })
  })

  it('can be deleted with its steps only after it has ended', async () => {
    const app = await startFlowApp()
    const isAsked = Promise.withResolvers<() => void>()
    const api = await startThirdPartyApi((_request, response) => isAsked.resolve(() => response.end('{}')))
    const { flow } = await app.addFlow([{ ref_id: 'call', type: 'rest', config: { url: api.url } }])
    const { id } = await byHand(app, flow.id)
    const answerNow = await isAsked.promise
    expect((await app.call('DELETE', `/v1/flow-runs/${id}`)).status).toBe(409)
    answerNow()
    await app.until(hasEnded)
    expect((await app.call('DELETE', `/v1/flow-runs/${id}`)).status).toBe(204)
    expect((await app.call('GET', `/v1/flow-runs/${id}/steps`)).status).toBe(404)
  })

  it('ends when its flow is deleted', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([await aLongWait()])
    await byHand(app, flow.id)
    await app.until(({ status }) => status === 'running')
    expect((await app.call('DELETE', `/v1/flows/${flow.id}`)).status).toBe(204)
    expect(app.runs()).toEqual([])
  })

  it('shows each call of a step, and hides the credentials it sent', async () => {
    const app = await startFlowApp()
    const api = await startThirdPartyApi((_request, response) => void response.end('{"n":1}'))
    const connector = (await app.call('POST', '/v1/connectors', { name: 'Shop', base_domain: api.url }))
      .json as { id: string }
    const token = 'a-very-secret-token-of-the-shop'
    const auth = (
      await app.call('POST', '/v1/connector-auths', {
        connector_id: connector.id,
        name: 'mine',
        auth_type: 'bearer',
        auth_token: token,
      })
    ).json as { id: string }
    const { flow } = await app.addFlow([
      {
        ref_id: 'call',
        type: 'rest',
        config: { url: `${api.url}/?t=${token}`, auth_id: auth.id, headers: { 'X-Copy': token } },
      },
    ])
    const { id } = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)).json as FlowRun
    const [step] = (await app.call('GET', `/v1/flow-run-steps?filter=flow_run_id,eq,${id}`))
      .json as FlowRunStep[]
    expect(api.received[0]?.headers).toMatchObject({ authorization: `Bearer ${token}`, 'x-copy': token })
    expect(step?.http).toMatchObject([
      {
        attempt: 1,
        page: null,
        request: {
          method: 'GET',
          url: `${api.url}/?t=***`,
          headers: { authorization: '***', 'x-copy': '***' },
        },
        response: { status: 200, body: '{"n":1}' },
      },
    ])
    expect(JSON.stringify(step)).not.toContain(token)
  })

  it('shows only the beginning of a large value, and says so', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ response_body: '{{ web1.list | length }}' })])
    const list = Array.from({ length: 20_000 }, (_, n) => `record ${n}`)
    expect((await app.trigger(hook, { body: { list } })).text).toBe('20000')
    const [step] = app.stepsOf(app.runs()[0]!)
    expect(step).toMatchObject({ truncated: true })
    expect(JSON.stringify(step?.output).length).toBeLessThan(200_000)
  })

  it('shows only failed steps, or nothing at all, if its flow is set to that', async () => {
    const app = await startFlowApp()
    const steps = [
      webhook({ response_body: 'ok' }),
      { ...set('bad', { x: '{{ 1 / 0 }}' }), on_error: 'continue' as const },
      set('after', {}),
    ]
    const few = await app.addFlow(steps, { settings: { log_all_steps: false } })
    const none = await app.addFlow([...steps, delay(0)], { settings: { data_retention_days: 0 } })
    await app.trigger(few)
    await app.trigger(none)
    expect(app.runs().map((run) => [run.flow_id, app.stepsOf(run).map(({ ref_id }) => ref_id)])).toEqual([
      [few.flow.id, ['bad']],
    ])
  })
})

describe('a single step', () => {
  it('runs on given results, or on those of the newest run, and stores nothing', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      webhook({ response_body: 'ok' }),
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1] },
        steps: [set('inner', { n: '{{ web1.n }} of {{ item }}' })],
      },
      set('after', { n: '{{ web1.n + 1 }}', token: '{{ web1.token }}' }),
    ])
    const run = async (ref: string, body: object = {}) =>
      app.call('POST', `/v1/flows/${hook.flow.id}/steps/${ref}/run`, body)
    expect(await run('after', { results: { web1: { n: 1 } } })).toMatchObject({
      status: 200,
      json: { status: 'success', output: { n: 2 }, flow_run_id: '' },
    })
    await app.trigger(hook, { body: { n: 41, token: hook.token } })
    const [newest] = app.runs()
    expect(await run('after')).toMatchObject({
      json: { output: { n: 42, token: '***' }, flow_run_id: newest!.id },
    })
    expect(await run('inner', { results: { web1: { n: 3 }, item: 'x' } })).toMatchObject({
      json: { output: { n: '3 of x' } },
    })
    expect(await run('after', { results: {} })).toMatchObject({
      status: 200,
      json: { status: 'error', error: { ref_id: 'after' } },
    })
    expect((await run('nope')).status).toBe(404)
    expect(app.runs()).toHaveLength(1)
  })
})

describe('a single step on the displayed values', () => {
  const steps = [
    webhook({ response_body: 'ok' }),
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ web1.list }}' },
      steps: [set('before', { n: '{{ item * 10 }}' }), set('inner', { of: '{{ item }} of {{ before.n }}' })],
    },
    set('after', { n: '{{ web1.list | length }}' }),
  ]

  it('reads the named run, with some of its results replaced', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(steps)
    const other = await app.addFlow(steps)
    for (const list of [[1], [1, 2]]) await app.trigger(hook, { body: { list } })
    await app.trigger(other, { body: { list: [] } })
    const [ofOther, newest, older] = app.runs()
    const path = `/v1/flows/${hook.flow.id}/steps/after/run`
    const run = async (body: object) => (await app.call('POST', path, body)).json
    expect({
      newest: await run({}),
      older: await run({ flow_run_id: older!.id }),
      replaced: await run({ flow_run_id: older!.id, context: { web1: { list: [1, 2, 3] } } }),
      ofOther: await run({ flow_run_id: ofOther!.id }),
      both: await run({ results: {}, context: {} }),
    }).toMatchObject({
      newest: { output: { n: 2 }, flow_run_id: newest!.id },
      older: { output: { n: 1 }, flow_run_id: older!.id },
      replaced: { output: { n: 3 } },
      ofOther: { status: 404 },
      both: {
        status: 400,
        data: { results: ["can't be combined with flow_run_id, context or iteration; send it alone"] },
      },
    })
  })

  it('reads the chosen item, as the preview does', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(steps)
    await app.trigger(hook, { body: { list: [1, 2, 3] } })
    const [newest] = app.runs()
    const of = async (body: object) => {
      const place = { flow_id: hook.flow.id, ref_id: 'inner', flow_run_id: newest!.id }
      const [run, preview] = await Promise.all([
        app.call('POST', `/v1/flows/${hook.flow.id}/steps/inner/run`, body),
        app.call('POST', '/v1/templates/preview', {
          template: '{{ item }} of {{ before.n }}',
          ...place,
          ...body,
        }),
      ])
      const { output } = run.json as { output: unknown }
      const { rendered, loops } = preview.json as { rendered: { text: string }; loops: unknown }
      return { output, text: rendered.text, loops }
    }
    const each = (index: number, count = 3) => [{ ref_id: 'each', index, count }]
    expect({
      last: await of({}),
      first: await of({ iteration: '0' }),
      second: await of({ iteration: '1' }),
      ofOtherList: await of({ iteration: '7', context: { web1: { list: [5] }, before: { n: 50 } } }),
    }).toEqual({
      last: { output: { of: '3 of 30' }, text: '3 of 30', loops: each(2) },
      first: { output: { of: '1 of 10' }, text: '1 of 10', loops: each(0) },
      second: { output: { of: '2 of 20' }, text: '2 of 20', loops: each(1) },
      ofOtherList: { output: { of: '5 of 50' }, text: '5 of 50', loops: each(0, 1) },
    })
    const path = `/v1/flow-runs/${newest!.id}/steps?filter=iteration,eq,1`
    const ofTurn = (await app.call('GET', path)).json as FlowRunStep[]
    expect(ofTurn.map(({ ref_id, output }) => [ref_id, output])).toEqual([
      ['before', { n: 20 }],
      ['inner', { of: '2 of 20' }],
    ])
  })
})

describe('a single step inside loops', () => {
  it('reads the item of the last iteration together with the newest results', async () => {
    const app = await startFlowApp()
    const inner = set('inner', { of: '{{ item }} at {{ index }}, then {{ before.n }}' })
    const hook = await app.addFlow([
      webhook({ response_body: 'ok' }),
      {
        ref_id: 'outer',
        type: 'loop',
        config: { over: '{{ web1.lists }}' },
        steps: [
          {
            ref_id: 'each',
            type: 'loop',
            config: { over: '{{ item }}' },
            steps: [set('before', { n: '{{ item * 10 }}' }), inner],
          },
        ],
      },
    ])
    const path = `/v1/flows/${hook.flow.id}/steps/inner/run`
    const before = await app.call('POST', path, {})
    await app.trigger(hook, { body: { lists: [[1], [2, 3]] } })
    const after = await app.call('POST', path, {})
    expect({ before: before.json, after: after.json }).toMatchObject({
      before: {
        status: 'error',
        error: { message: expect.stringContaining("'before' is undefined") as string },
      },
      after: { status: 'success', output: { of: '3 at 1, then 30' } },
    })
  })
})

describe('history lists', () => {
  it('page by key, newest first, and filter', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook({ response_body: 'ok' }), set('a', { x: '{{ 1 / web1.n }}' })])
    for (const n of [1, 0, 2, 0, 4]) await app.trigger(hook, { body: { n } })
    const first = await app.call('GET', '/v1/flow-runs?per_page=2')
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
    const second = await app.call('GET', next.replace(/^https?:\/\/[^/]+/, ''))
    const all = app.runs().map(({ id }) => id)
    const ids = (answer: { json: unknown }) => (answer.json as FlowRun[]).map(({ id }) => id)
    expect({ first: ids(first), second: ids(second) }).toEqual({
      first: all.slice(0, 2),
      second: all.slice(2, 4),
    })
    expect(ids(await app.call('GET', '/v1/flow-runs?filter=status,eq,error'))).toEqual([all[1], all[3]])
    expect((await app.call('GET', '/v1/flow-runs?filter=nope,eq,1')).status).toBe(400)
  })
})

describe('the activity of flows', () => {
  it('counts successful and failed runs per hour, newest last, for all flows that ran', async () => {
    let passed = 0
    const app = await startFlowApp({
      clock: { now: () => Date.UTC(2030, 0, 1, 12) + passed, monotonic: () => performance.now() },
    })
    const good = await app.addFlow([set('a', { n: 1 })], { name: 'Good' })
    const mixed = await app.addFlow([set('a', { n: '{{ input.n.m }}' })], { name: 'Mixed' })
    const gone = await app.addFlow([set('a', { n: 1 })], { name: 'Gone' })
    const run = async (flowId: string) => {
      const answer = await app.call('POST', `/v1/flows/${flowId}/run?wait=true`, {})
      return (answer.json as FlowRun).status
    }
    await run(good.flow.id)
    passed += 2.5 * 3_600_000
    const statuses = [
      await run(good.flow.id),
      await run(good.flow.id),
      await run(mixed.flow.id),
      await run(gone.flow.id),
    ]
    await app.call('DELETE', `/v1/flows/${gone.flow.id}`)
    const { json: all } = await app.call('GET', '/v1/flow-runs/activity?hours=3')
    const { json: last } = await app.call('GET', '/v1/flow-runs/activity?hours=1')
    const none = { success: 0, error: 0 }
    expect({ statuses, all, last }).toEqual({
      statuses: ['success', 'success', 'error', 'success'],
      all: [
        { flow_id: mixed.flow.id, hours: [none, none, { success: 0, error: 1 }] },
        { flow_id: good.flow.id, hours: [{ success: 1, error: 0 }, none, { success: 2, error: 0 }] },
      ],
      last: [
        { flow_id: mixed.flow.id, hours: [{ success: 0, error: 1 }] },
        { flow_id: good.flow.id, hours: [{ success: 2, error: 0 }] },
      ],
    })
  })
})

describe('failures by cause', () => {
  it('are counted over all runs that match the filters, and the runs of a cause can be listed', async () => {
    const api = await startThirdPartyApi((_request, response) => response.writeHead(401).end('{}'))
    const app = await startFlowApp()
    const refused = await app.addFlow([
      webhook(),
      { ref_id: 'users', type: 'rest', config: { url: api.url } },
    ])
    const broken = await app.addFlow([set('bad', { x: '{{ 1 / 0 }}' }), set('ok', { y: 'apricot' })])
    const run = async (flowId: string, input: object) => {
      const { json } = await app.call('POST', `/v1/flows/${flowId}/run?wait=true`, { input })
      return (json as FlowRun).id
    }
    const first = await run(refused.flow.id, { fruit: 'plum' })
    const failed = await run(broken.flow.id, { fruit: 'apricot' })
    const second = await run(refused.flow.id, { fruit: 'pear' })
    const causes = async (query = '') => {
      const { json } = await app.call('GET', `/v1/flow-runs/failures${query}`)
      return (json as FailureCause[]).map(({ newest, flow_id: _flow, ...cause }) => ({
        ...cause,
        newest: newest.id,
      }))
    }
    const refusal = { ref_id: 'users', code: 'http_error', status: 401 }
    const mistake = { ref_id: 'bad', code: 'template_error', status: null, count: 1, newest: failed }
    const listed = async (query: string) =>
      ((await app.call('GET', `/v1/flow-runs?${query}`)).json as FlowRun[]).map(({ id }) => id)
    expect({
      all: await causes(),
      ofFlow: await causes(`?filter=flow_id,eq,${broken.flow.id}`),
      ofText: await causes('?text=pear'),
      none: await causes('?filter=status,eq,success'),
      runs: await listed(
        'filter=error_ref_id,eq,users&filter=error_code,eq,http_error&filter=error_status,eq,401',
      ),
      withoutStatus: await listed('filter=status,eq,error&filter=error_status,eq,null'),
    }).toEqual({
      all: [{ ...refusal, count: 2, newest: second }, mistake],
      ofFlow: [mistake],
      ofText: [{ ...refusal, count: 1, newest: second }],
      none: [],
      runs: [second, first],
      withoutStatus: [failed],
    })
  })
})

describe('the list with responses', () => {
  it('shows the response to each webhook run, the one that a test would send, and none for other runs', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([
      webhook({ response_body: '{"known": {{ web1.known }}}', response_status_code: 203 }),
    ])
    await app.trigger(hook, { body: { known: true } })
    await app.requests()
    const other = await app.addFlow([set('one', { v: '1' })])
    for (const flow of [hook.flow, other.flow]) {
      const { id } = await byHand(app, flow.id, { input: { known: false } })
      await app.until((each) => each.id === id && hasEnded(each))
    }
    const listed = async (query: string) => {
      const { json } = await app.call('GET', `/v1/flow-runs${query}`)
      return (json as ListedFlowRun[]).map(({ trigger, answer }) => [trigger, answer])
    }
    expect({ with: await listed('?answers=true'), without: await listed('') }).toEqual({
      with: [
        ['manual', undefined],
        ['manual', { status: 203, body: '{"known": false}' }],
        ['webhook', { status: 203, body: '{"known": true}' }],
      ],
      without: [
        ['manual', undefined],
        ['manual', undefined],
        ['webhook', undefined],
      ],
    })
  })
})

describe('failed runs that were dealt with', () => {
  const causesOf = async (app: FlowApp, filter = '') =>
    ((await app.call('GET', `/v1/flow-runs/failures${filter}`)).json as FailureCause[]).map((cause) => [
      cause.ref_id,
      cause.count,
    ])
  const resolvedOf = async (app: FlowApp, value: boolean) =>
    (
      (await app.call('GET', `/v1/flow-runs?filter=resolved,eq,${value}&filter=status,eq,error`))
        .json as FlowRun[]
    ).length
  const fails = (ref_id: string): StepInput => ({
    ref_id,
    type: 'stop',
    config: { status: 'error', message: 'No stock' },
  })

  it('are marked with a note and open again if asked; others can’t be', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook(), fails('end')])
    const fine = await app.addFlow([webhook()])
    await app.trigger(hook)
    await app.trigger(fine)
    const run = app.runs().find(({ status }) => status === 'error')
    const success = app.runs().find(({ status }) => status === 'success')
    const path = `/v1/flow-runs/${run?.id}`
    const notices: unknown[] = []
    app.services.events.listen(({ noun, type, status, id }) => {
      if (noun === 'flow_run' || noun === 'notice') notices.push([noun, type, status, id])
    })
    const resolved = await app.call('POST', `${path}/resolve`, { note: 'New password' })
    const read = (await app.call('GET', path)).json as FlowRun
    const causes = await causesOf(app)
    const reopened = await app.call('POST', `${path}/reopen`)
    expect({
      resolved: (resolved.json as FlowRun).resolved?.note,
      read: read.resolved,
      causes,
      reopened: (reopened.json as FlowRun).resolved,
      causesAfter: await causesOf(app),
      notices,
      long: (await app.call('POST', `${path}/resolve`, { note: 'x'.repeat(1_001) })).status,
      success: (await app.call('POST', `/v1/flow-runs/${success?.id}/resolve`)).json,
      unknown: (await app.call('POST', '/v1/flow-runs/nope/resolve')).status,
    }).toEqual({
      resolved: 'New password',
      read: { at: expect.stringMatching(/Z$/), note: 'New password' },
      causes: [],
      reopened: undefined,
      causesAfter: [['end', 1]],
      notices: [
        ['flow_run', 'updated', undefined, run?.id],
        ['flow_run', 'updated', undefined, run?.id],
      ],
      long: 400,
      success: expect.objectContaining({
        error: 'conflict',
        message: `Run ${success?.id} is success; only failed runs can be resolved`,
      }),
      unknown: 404,
    })
  })

  it('with one cause are marked together; the next failure opens the cause again', async () => {
    const app = await startFlowApp()
    const [hook, other] = [
      await app.addFlow([webhook(), fails('end')]),
      await app.addFlow([webhook(), fails('x')]),
    ]
    for (let n = 0; n < 3; n++) await app.trigger(hook)
    await app.trigger(other)
    const cause = { flow_id: hook.flow.id, ref_id: 'end', code: 'stopped', status: null }
    const resolve = async (body: object) =>
      (await app.call('POST', '/v1/flow-runs/failures/resolve', body)).json as object
    const first = await resolve({ ...cause, note: 'Restocked' })
    const left = await causesOf(app)
    const resolved = [await resolvedOf(app, true), await resolvedOf(app, false)]
    await app.trigger(hook)
    const back = await causesOf(app)
    const listed = await causesOf(app, '?filter=resolved,eq,true')
    const again = await resolve(cause)
    const reopened = (await app.call('POST', '/v1/flow-runs/failures/reopen', cause)).json
    expect({
      first,
      left,
      resolved,
      back,
      listed,
      again,
      allOpen: app.runs().every((run) => run.resolved === undefined),
      reopened,
      after: await causesOf(app),
      none: await resolve({ ...cause, code: 'another' }),
    }).toEqual({
      first: { runs: 3 },
      left: [['x', 1]],
      resolved: [3, 1],
      back: [
        ['end', 1],
        ['x', 1],
      ],
      listed: [['end', 3]],
      again: { runs: 1 },
      allOpen: true,
      reopened: { runs: 4 },
      after: [
        ['end', 4],
        ['x', 1],
      ],
      none: { runs: 0 },
    })
  })

  it('and that fail again after they were resumed are open again', async () => {
    const clock = {
      time: Date.parse('2026-03-01T12:00:00Z'),
      now: () => clock.time,
      monotonic: () => performance.now(),
    }
    const app = await startFlowApp({ clock })
    const api = await startThirdPartyApi((_request, response) => void response.writeHead(404).end())
    const hook = await app.addFlow([webhook(), { ref_id: 'ask', type: 'rest', config: { url: api.url } }])
    await app.trigger(hook)
    const id = app.runs()[0]?.id ?? ''
    clock.time += 1_000
    await app.call('POST', `/v1/flow-runs/${id}/resolve`)
    const before = await causesOf(app)
    clock.time += 1_000
    await app.call('POST', `/v1/flow-runs/${id}/resume`)
    await app.until((run) => run.id === id && run.status === 'error' && api.received.length === 2)
    expect({ before, after: await causesOf(app) }).toEqual({ before: [], after: [['ask', 1]] })
  })
})
