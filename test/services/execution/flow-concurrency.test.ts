import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const webhook = (config: object = {}): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config: { ...config },
})

/** An API that responds when told to, and counts how many calls it held at the same time. */
async function aSlowApi() {
  const held: (() => void)[] = []
  let most = 0
  const { url } = await startThirdPartyApi((_request, response) => {
    held.push(() => response.end('{}'))
    most = Math.max(most, held.length)
  })
  return {
    step: { ref_id: 'call', type: 'rest', config: { url } } satisfies StepInput,
    most: () => most,
    async answerNext(app: FlowApp) {
      while (held.length === 0) await app.store.write(() => undefined)
      held.shift()?.()
    },
  }
}

describe('a flow that runs one at a time', () => {
  const ONE = { settings: { concurrency: 1 } }

  it('queues callers who wait, and queued runs as well', async () => {
    const app = await startFlowApp()
    const api = await aSlowApi()
    const sync = await app.addFlow([webhook({ response_body: '{{ web1.n }}' }), api.step], ONE)
    const answers = ['1', '2', '3'].map((n) => app.trigger(sync, { body: { n } }))
    await app.call('POST', `/v1/flows/${sync.flow.id}/run`, {})
    for (let run = 0; run < 4; run++) await api.answerNext(app)
    expect((await Promise.all(answers)).map(({ text }) => text).toSorted()).toEqual(['1', '2', '3'])
    await app.until(() => app.runs().length === 4 && app.runs().every(({ status }) => status === 'success'))
    expect(api.most()).toBe(1)
  })

  it('counts a run as started when its turn comes', async () => {
    const app = await startFlowApp()
    const api = await aSlowApi()
    const { flow } = await app.addFlow([webhook(), api.step], ONE)
    await app.call('POST', `/v1/flows/${flow.id}/run`, {})
    await app.call('POST', `/v1/flows/${flow.id}/run`, {})
    const held = app.runs()[0]?.created_at
    await app.until(() => new Date().toISOString() > String(held))
    await api.answerNext(app)
    await api.answerNext(app)
    await app.until(() => app.runs().length === 2 && app.runs().every(({ status }) => status === 'success'))
    const [second, first] = app.runs()
    expect(String(second?.started_at) >= String(first?.finished_at)).toBe(true)
    expect(String(second?.started_at) > String(second?.created_at)).toBe(true)
  })

  it('returns 408 to a caller who waited too long for a slot; the run continues when it gets one', async () => {
    const app = await startFlowApp({ answerWithinMs: 100 })
    const api = await aSlowApi()
    const hook = await app.addFlow([webhook(), api.step], ONE)
    const answers = await Promise.all([app.trigger(hook), app.trigger(hook)])
    await api.answerNext(app)
    await api.answerNext(app)
    await app.until(() => app.runs().every(({ status }) => status === 'success'))
    expect({
      statuses: answers.map(({ status }) => status),
      runs: app.runs().length,
      most: api.most(),
    }).toEqual({ statuses: [408, 408], runs: 2, most: 1 })
    expect((await app.requests()).map(({ status }) => status)).toEqual([408, 408])
  })

  it('skips a cancelled run and gives its place to the next', async () => {
    const app = await startFlowApp({ answerWithinMs: 50 })
    const api = await aSlowApi()
    const hook = await app.addFlow([webhook(), api.step], ONE)
    await Promise.all([1, 2, 3].map(() => app.trigger(hook)))
    const [third] = app.runs()
    expect(await app.call('POST', `/v1/flow-runs/${third!.id}/cancel`)).toMatchObject({
      json: { status: 'cancelled' },
    })
    await api.answerNext(app)
    await api.answerNext(app)
    await app.until(() => app.runs().every(({ finished_at: at }) => at !== null))
    expect({ statuses: app.runs().map(({ status }) => status), most: api.most() }).toEqual({
      statuses: ['cancelled', 'success', 'success'],
      most: 1,
    })
  })

  it('releases its slot while it waits for another run of its own flow, and gets it back', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow([webhook()], ONE)
    const { id } = hook.flow
    const again: StepInput = {
      ref_id: 'more',
      type: 'condition',
      config: { when: '{{ web1.n > 0 }}' },
      then: [{ ref_id: 'sub', type: 'run_flow', config: { flow_id: id, input: { n: '{{ web1.n - 1 }}' } } }],
    }
    const steps = [webhook({ response_body: '{"n": {{ web1.n }}}' }), again]
    await app.call('PUT', `/v1/flows/${id}`, { steps })
    const answers = await Promise.all([1, 2].map((n) => app.trigger(hook, { body: { n } })))
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [200, '{"n": 1}'],
      [200, '{"n": 2}'],
    ])
    expect(app.runs().map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'success'))
  })

  it("doesn't block other flows in the queue, however many of its runs are ahead of theirs", async () => {
    const app = await startFlowApp({ settings: { concurrent_runs: 2 } })
    const api = await aSlowApi()
    const slow = await app.addFlow([webhook({ async: true }), api.step], ONE)
    const quick = await app.addFlow([webhook({ async: true })])
    for (let n = 0; n < 20; n++) await app.trigger(slow)
    await app.trigger(quick)
    const run = await app.until(({ flow_id: id, status }) => id === quick.flow.id && status === 'success')
    expect({ status: run.status, queued: app.store.runQueue.count() }).toEqual({
      status: 'success',
      queued: { ready: 19, parked: 0, taken: 1 },
    })
    app.services.runtime.beginStop()
  })
})
