import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
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
const run = (flow_id: string, more: Record<string, unknown> = {}): StepInput => ({
  ref_id: 'sub',
  type: 'run_flow',
  config: { flow_id, ...more },
})

/** Runs a flow in the queue, without anybody waiting for it, and returns the finished run. */
async function runQueued(app: FlowApp, flowId: string): Promise<FlowRun & { last: unknown }> {
  const { json } = await app.call('POST', `/v1/flows/${flowId}/run`)
  const { flow_run_id: id } = json as { flow_run_id: string }
  const ended = await app.until((each) => each.id === id && each.finished_at !== null)
  return { ...ended, last: app.stepsOf(ended).at(-1)?.output }
}

describe('a step that runs another flow', () => {
  it('names another run if the program ended between naming one and storing it', async () => {
    const dataDir = temporaryFolder()
    let later = 0
    const clock = { now: () => Date.now() + later, monotonic: () => performance.now() + later }
    const first = await startFlowApp({ dataDir, clock })
    const child = await first.addFlow([set('n', { n: 7 })], { name: 'Child', status: 'paused' })
    const sub = { ...run(child.flow.id), retry: { attempts: 5, wait_seconds: 120 } }
    const parent = await first.addFlow([sub, set('end', { n: '{{ sub.n }}' })], { name: 'Parent' })
    const { json } = await first.call('POST', `/v1/flows/${parent.flow.id}/run`)
    const { flow_run_id: id } = json as { flow_run_id: string }
    // The paused flow rejects the run intended for it, and the step is retried later.
    await first.until((each) => each.id === id && each.parked_until !== undefined)
    await first.call('PUT', `/v1/flows/${child.flow.id}`, { status: 'active' })
    first.services.runtime.beginStop()
    await first.services.runtime.stop({ graceMs: 2_000 })
    first.store.close()

    later = 130_000
    const second = await startFlowApp({ dataDir, clock })
    const ended = await second.until((each) => each.id === id && each.finished_at !== null)
    const children = second.runs().filter((each) => each.parent_run_id === id)
    expect({
      status: ended.status,
      error: ended.error,
      output: second.stepsOf(ended).at(-1)?.output,
      children: children.map(({ status }) => status),
    }).toEqual({ status: 'success', error: null, output: { n: 7 }, children: ['success'] })
  })

  it('cancels the run that it waits for along with its own, however deep, and no other', async () => {
    const app = await startFlowApp()
    const long = await app.addFlow([{ ref_id: 'wait', type: 'delay', config: { seconds: 60 } }], {
      name: 'Long',
    })
    const middle = await app.addFlow([run(long.flow.id)], { name: 'Middle' })
    const outer = await app.addFlow(
      [{ ...run(long.flow.id, { wait: false }), ref_id: 'free' }, run(middle.flow.id)],
      { name: 'Outer' },
    )
    const { json } = await app.call('POST', `/v1/flows/${outer.flow.id}/run`)
    const { flow_run_id: id } = json as { flow_run_id: string }
    await app.until(({ flow_id: flowId, parent_run_id: parent }) => flowId === long.flow.id && parent !== id)
    expect((await app.call('POST', `/v1/flow-runs/${id}/cancel`)).status).toBe(200)
    const ends = app.runs().map((each) => [each.title, each.parent_run_id === id, each.status])
    expect(ends).toEqual([
      ['Long', false, 'cancelled'],
      ['Middle', true, 'cancelled'],
      ['Long', true, expect.stringMatching(/queued|running/)],
      ['Outer', false, 'cancelled'],
    ])
    for (const { id: left, status } of app.runs())
      if (status !== 'cancelled') await app.call('POST', `/v1/flow-runs/${left}/cancel`)
  })

  it("gets the other flow's response, otherwise the result of its last step, in a separate run", async () => {
    const app = await startFlowApp()
    const answering = await app.addFlow([
      webhook({ response_body: '{"double": {{ web1.n * 2 }}}' }),
      set('last', { other: 1 }),
    ])
    const responding = await app.addFlow([
      webhook(),
      { ref_id: 'now', type: 'respond', config: { body: 'early' } },
      set('last', {}),
    ])
    const silent = await app.addFlow([set('last', { n: 7 })])
    const outputs: unknown[] = []
    for (const { flow } of [answering, responding, silent]) {
      const parent = await app.addFlow([run(flow.id, { input: { n: '{{ 21 }}' } })])
      outputs.push((await runQueued(app, parent.flow.id)).last)
    }
    expect(outputs).toEqual([{ double: 42 }, 'early', { n: 7 }])
    const children = app.runs().filter(({ trigger }) => trigger === 'flow')
    const parents = app.runs().filter(({ trigger }) => trigger === 'manual')
    expect(children.map((child) => child.parent_run_id)).toEqual(parents.map(({ id }) => id))
  })

  it('responds to a webhook that waits for both', async () => {
    const app = await startFlowApp()
    const child = await app.addFlow([set('last', { n: 7 })])
    const parent = await app.addFlow([webhook({ response_body: '{"n": {{ sub.n }}}' }), run(child.flow.id)])
    expect(await app.trigger(parent)).toMatchObject({ status: 200, json: { n: 7 } })
  })

  it('holds no worker while it waits: one is enough for flows that run flows', async () => {
    const app = await startFlowApp({ settings: { concurrent_runs: 1 } })
    const inner = await app.addFlow([
      { ref_id: 'wait', type: 'delay', config: { seconds: 0.05 } },
      set('last', { n: 1 }),
    ])
    const middle = await app.addFlow([run(inner.flow.id)])
    const outer = await app.addFlow([run(middle.flow.id), set('end', { n: '{{ sub.n + 1 }}' })])
    expect(await runQueued(app, outer.flow.id)).toMatchObject({ status: 'success', last: { n: 2 } })
  })

  it("continues at once if it shouldn't wait", async () => {
    const app = await startFlowApp()
    const isAsked = Promise.withResolvers<() => void>()
    const api = await startThirdPartyApi((_request, response) => isAsked.resolve(() => response.end('{}')))
    const child = await app.addFlow([{ ref_id: 'call', type: 'rest', config: { url: api.url } }])
    const parent = await app.addFlow([run(child.flow.id, { wait: false })])
    const { last, finished_at } = await runQueued(app, parent.flow.id)
    const { flow_run_id: id } = last as { flow_run_id: string }
    const answerNow = await isAsked.promise
    expect({ finishedAt: finished_at, status: app.store.flowRuns.get(id)?.status }).toEqual({
      finishedAt: expect.any(String),
      status: 'running',
    })
    answerNow()
    await app.until((each) => each.id === id && each.status === 'success')
  })

  it("fails with the other flow's error, and can be retried", async () => {
    const app = await startFlowApp()
    const child = await app.addFlow([
      { ref_id: 'bad', type: 'stop', config: { status: 'error', message: 'no stock' } },
    ])
    const parent = await app.addFlow([{ ...run(child.flow.id), retry: { attempts: 2, wait_seconds: 0 } }])
    const { error } = await runQueued(app, parent.flow.id)
    expect(error).toMatchObject({ code: 'flow_error', ref_id: 'sub', field: 'config.flow_id' })
    expect(error?.message).toContain('the flow it runs failed: Step "bad": no stock')
    expect(app.runs().filter(({ trigger }) => trigger === 'flow')).toHaveLength(2)
  })

  it('continues at once when the other run is cancelled while it is parked', async () => {
    const app = await startFlowApp()
    const long = await app.addFlow([{ ref_id: 'wait', type: 'delay', config: { seconds: 300 } }])
    const outer = await app.addFlow([run(long.flow.id)])
    const { json } = await app.call('POST', `/v1/flows/${outer.flow.id}/run`)
    const { flow_run_id: id } = json as { flow_run_id: string }
    await app.until(() => app.store.runQueue.count().parked === 2)
    const child = app.runs().find(({ flow_id }) => flow_id === long.flow.id)
    await app.call('POST', `/v1/flow-runs/${child?.id}/cancel`)
    const { error } = await app.until((each) => each.id === id && each.finished_at !== null)
    expect(error?.message).toBe(`Step "sub": the flow it runs failed: run ${child?.id} was cancelled`)
  })

  it("reports a flow that doesn't exist, is paused, or runs itself endlessly", async () => {
    const app = await startFlowApp()
    const paused = await app.addFlow([], { name: 'Old', status: 'paused' })
    const itself = await app.addFlow([run('{{ env_flow }}')], { name: 'Snake' })
    const id = itself.flow.id
    await app.call('PUT', `/v1/flows/${id}`, { steps: [run(id)] })
    const lost = await app.addFlow([run('nowhere')])
    const other = await app.addFlow([run(paused.flow.id)])
    const messages = await Promise.all(
      [lost.flow.id, other.flow.id].map(async (flowId) => (await runQueued(app, flowId)).error?.message),
    )
    expect(messages).toEqual([
      'Step "sub": there is no flow "nowhere"; choose another one',
      'Step "sub": the flow "Old" is paused; make it active or a draft to run it',
    ])
    const snake = await runQueued(app, id)
    expect(snake.status).toBe('error')
    expect(snake.error?.message).toContain('would run 11 levels deep (limit 10)')
    expect(app.runs().filter(({ flow_id }) => flow_id === id)).toHaveLength(11)
  })

  it('passes its result on even if the other flow keeps no history', async () => {
    const app = await startFlowApp()
    const child = await app.addFlow([set('last', { n: 7 })], { settings: { data_retention_days: 0 } })
    const parent = await app.addFlow([run(child.flow.id)])
    expect((await runQueued(app, parent.flow.id)).last).toEqual({ n: 7 })
  })
})
