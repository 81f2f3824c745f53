import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun, FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { FlowTrigger } from '../../src/shared/contract/reach/flow-trigger.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { callServed } from '../helpers/served-api.ts'
import { untilEnded, untilSeen } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

async function startRun(served: Served, steps: readonly StepInput[]): Promise<string> {
  const flow = await callServed<Flow>(served, 'POST', '/v1/flows', { name: 'Test flow', steps })
  const started = await callServed<{ flow_run_id: string }>(served, 'POST', `/v1/flows/${flow.id}/run`)
  return started.flow_run_id
}

const runOf = (served: Served, id: string) => callServed<FlowRun>(served, 'GET', `/v1/flow-runs/${id}`)
const call = (ref: string, url: string): StepInput => ({ ref_id: ref, type: 'rest', config: { url } })

/** An API during whose call to `/deadly` the program aborts, as it does without memory; other calls get a response. */
async function startDeadlyApi() {
  const state = { victim: null as Promise<Served> | null, isHolding: true, called: [] as string[] }
  const held = Promise.withResolvers<void>()
  const api = await startThirdPartyApi(({ target }, response) => {
    state.called.push(target)
    if (target === '/deadly' && state.victim !== null)
      return void state.victim.then((served) => served.process.kill('SIGABRT'))
    if (target === '/slow' && state.isHolding) return held.resolve()
    response.end('{}')
  })
  return { url: api.url, state, held: held.promise }
}

describe('a run during which the program dies each time', () => {
  it('is set aside after it died with it alone, while one next to it finishes; it can be resumed', async () => {
    const { url, state, held } = await startDeadlyApi()
    const first = await home.serve()
    const innocent = await startRun(first, [call('a', `${url}/slow`), call('b', `${url}/last`)])
    await held
    state.victim = Promise.resolve(first)
    const deadly = await startRun(first, [call('one', `${url}/first`), call('two', `${url}/deadly`)])
    await first.ended

    // All continue at once: any of them may be innocent.
    state.victim = home.serve()
    await (
      await state.victim
    ).ended

    // One after the other, once the program has been up for a while.
    Object.assign(state, { victim: null, isHolding: false })
    const third = await home.serve()
    const waiting = await Promise.all([innocent, deadly].map((id) => runOf(third, id)))
    const finished = await untilEnded(third, innocent)
    state.victim = Promise.resolve(third)
    await third.ended

    state.victim = null
    const fourth = await home.serve()
    const setAside = await untilEnded(fourth, deadly)
    const steps = await callServed<FlowRunStep[]>(fourth, 'GET', `/v1/flow-runs/${deadly}/steps`)
    const calls = state.called.length
    await callServed(fourth, 'POST', `/v1/flow-runs/${deadly}/resume`)
    const resumed = await untilEnded(fourth, deadly)
    expect({
      waiting: waiting.map(({ status, parked_until: until }) => [status, until !== undefined]),
      finished: finished.status,
      setAside: [setAside.status, setAside.error?.code, setAside.error?.message],
      steps: steps.map(({ ref_id, status }) => `${ref_id}:${status}`),
      said: fourth.stderr().includes('was set aside'),
      resumed: [resumed.status, state.called.slice(calls)],
    }).toEqual({
      waiting: [
        ['queued', true],
        ['queued', true],
      ],
      finished: 'success',
      setAside: [
        'error',
        'interrupted',
        'Millrace stopped unexpectedly 3 times during this run, so it was set aside; resume it to try again',
      ],
      steps: ['one:success', 'two:error'],
      said: true,
      resumed: ['success', ['/deadly']],
    })
  })
})

describe('a trigger during whose look the program dies each time', () => {
  it('no longer looks by itself after the second time, until somebody checks', async () => {
    const { url, state } = await startDeadlyApi()
    state.victim = home.serve()
    const first = await state.victim
    const { id } = await callServed<Flow>(first, 'POST', '/v1/flows', {
      name: 'Feed',
      status: 'active',
      steps: [{ ref_id: 'feed', type: 'list_trigger', config: { source: 'feed', url: `${url}/deadly` } }],
    })
    await first.ended

    // It looks again once the program is up, and alone.
    state.victim = home.serve()
    const second = await state.victim
    const before = await callServed<FlowTrigger>(second, 'GET', `/v1/flows/${id}/trigger`)
    const { started_at: startedAt } = await callServed<{ started_at: string }>(second, 'GET', '/v1/meta')
    const waitsMs = Date.parse(before.next_check_at ?? '') - Date.parse(startedAt)
    await second.ended

    state.victim = null
    const third = await home.serve()
    const triggerOf = (served: Served) => callServed<FlowTrigger>(served, 'GET', `/v1/flows/${id}/trigger`)
    const held = await untilSeen(third, async () => {
      const trigger = await triggerOf(third)
      return trigger.error === null ? null : trigger
    })
    const calls = state.called.length
    const checked = await callServed<FlowTrigger>(third, 'POST', `/v1/flows/${id}/trigger/check`)
    expect({
      waits: waitsMs > 3_000,
      error: held.error?.message,
      calls,
      checked: [state.called.length, checked.error?.message],
    }).toEqual({
      waits: true,
      error:
        'Millrace stopped unexpectedly twice while this trigger was checking, so it no longer checks automatically; check now to try again',
      calls: 2,
      // What the API returns isn't a feed.
      checked: [3, expect.stringContaining("isn't a feed")],
    })
  })
})
