import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { FlowRun, FlowRunStep } from '../../src/shared/contract/flow-runs.ts'
import type { StepInput } from '../../src/shared/contract/steps.ts'
import { createHome, type Home, type Served } from '../helpers/program.ts'
import { callServed } from '../helpers/served-api.ts'
import { heedStop, untilSeen } from '../helpers/served-runs.ts'
import { createTally } from '../helpers/tally.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { askToEnd } from '../helpers/platform.ts'

const webhook = (config: Record<string, unknown> = {}): StepInput => ({
  ref_id: 'web1',
  type: 'webhook',
  config,
})

const createFlow = (served: Served, steps: readonly StepInput[], settings: object = {}) =>
  callServed<Flow & { webhook: { url: string; token: string } }>(served, 'POST', '/v1/flows', {
    name: 'Test flow',
    steps,
    settings,
  })

/** The URL changes from start to start, but the flow and its token stay. */
const trigger = (
  served: Served,
  { id, webhook: { token } }: { id: string; webhook: { token: string } },
  body: object = {},
) =>
  fetch(`${served.url}/v1/flow-webhook/${id}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

async function runsOf(served: Served): Promise<FlowRun[]> {
  const runs: FlowRun[] = []
  for (let after = ''; ;) {
    const page = await callServed<FlowRun[]>(
      served,
      'GET',
      `/v1/flow-runs?per_page=200${after && `&after=${after}`}`,
    )
    runs.push(...page)
    const last = page.at(-1)
    if (!last || page.length < 200) return runs
    after = last.id
  }
}

const untilRuns = (served: Served, holds: (runs: FlowRun[]) => boolean): Promise<FlowRun[]> =>
  untilSeen(served, async () => {
    const runs = await runsOf(served)
    return holds(runs) ? runs : null
  })

const kill = async (served: Served) => {
  served.process.kill('SIGKILL')
  await served.ended
}

const JUMPING_CLOCK = pathToFileURL(join(import.meta.dirname, '../crash/fixtures/jumping-clock.ts')).href
const TWO_HOURS_LATER = { nodeArgs: ['--import', JUMPING_CLOCK], env: { CLOCK: 'ahead' } }
const UNLIMITED = { env: { MILLRACE_WEBHOOK_RATE_LIMIT: 'off' } }

describe('after kill -9', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  it('none of 200 acknowledged asynchronous webhooks is lost, and none runs twice', async () => {
    const first = await home.serve(UNLIMITED)
    const flow = await createFlow(first, [
      webhook({ async: true }),
      { ref_id: 'a', type: 'set', config: { values: { n: '{{ web1.n }}' } } },
    ])
    const answered: number[] = []
    const enough = createTally()
    const dead = new AbortController()
    const callers = Array.from({ length: 20 }, async (_, caller) => {
      for (let n = caller; !dead.signal.aborted; n += 20) {
        const answer = await trigger(first, flow, { n }).catch(() => null)
        if (answer?.status !== 200) continue
        answered.push(n)
        enough.add()
      }
    })
    await enough.reached(200)
    await kill(first)
    dead.abort()
    await Promise.all(callers)

    const second = await home.serve(UNLIMITED)
    const runs = await untilRuns(second, (all) => all.every(({ status }) => status === 'success'))
    const steps = await Promise.all(
      runs.map(({ id }) => callServed<FlowRunStep[]>(second, 'GET', `/v1/flow-runs/${id}/steps`)),
    )
    const ran = steps.map(([, a]) => (a?.output as { n: number } | undefined)?.n)
    expect(answered.filter((n) => !ran.includes(n))).toEqual([])
    expect(new Set(ran).size).toBe(ran.length)
  })

  it('a run continues at the step in flight and repeats no finished one', async () => {
    const called: string[] = []
    const dies = Promise.withResolvers<void>()
    const shop = await startThirdPartyApi((request, response) => {
      called.push(request.target)
      if (request.target === '/three' && called.filter((target) => target === '/three').length === 1)
        return dies.resolve()
      response.end(JSON.stringify({ said: request.target }))
    })
    const call = (name: string): StepInput => ({
      ref_id: name,
      type: 'rest',
      config: { method: 'POST', url: `${shop.url}/${name}`, body: { seen: '{{ web1.n }}' } },
    })
    const first = await home.serve()
    const flow = await createFlow(first, [
      webhook({ async: true }),
      call('one'),
      call('two'),
      call('three'),
      call('four'),
      call('five'),
    ])
    expect((await trigger(first, flow, { n: 1 })).status).toBe(200)
    await dies.promise
    await kill(first)

    const second = await home.serve()
    const [run] = await untilRuns(second, (all) => all.every(({ status }) => status === 'success'))
    expect(called).toEqual(['/one', '/two', '/three', '/three', '/four', '/five'])
    const keys = shop.received.map(({ headers }) => headers['idempotency-key'])
    expect({ third: keys[2], different: new Set(keys).size }).toEqual({ third: keys[3], different: 5 })
    const steps = await callServed<FlowRunStep[]>(second, 'GET', `/v1/flow-runs/${run!.id}/steps`)
    expect(steps.map(({ ref_id, status }) => `${ref_id}:${status}`)).toEqual(
      ['web1', 'one', 'two', 'three', 'four', 'five'].map((ref) => `${ref}:success`),
    )
    expect(run).toMatchObject({ attempt: 2, status: 'success' })
  })

  it('a loop continues in its current iteration', async () => {
    const called: string[] = []
    const dies = Promise.withResolvers<void>()
    const shop = await startThirdPartyApi((request, response) => {
      called.push(request.target)
      if (request.target === '/3' && called.length === 4) return dies.resolve()
      response.end(JSON.stringify({ n: Number(request.target.slice(1)) * 10 }))
    })
    const first = await home.serve()
    const flow = await createFlow(first, [
      webhook({ async: true }),
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ web1.list }}', collect: '{{ call.body.n }}' },
        steps: [{ ref_id: 'call', type: 'rest', config: { url: `${shop.url}/{{ item }}` } }],
      },
      { ref_id: 'end', type: 'set', config: { values: { list: '{{ each }}' } } },
    ])
    await trigger(first, flow, { list: [0, 1, 2, 3, 4] })
    await dies.promise
    await kill(first)
    const second = await home.serve()
    const [run] = await untilRuns(second, (all) => all.every(({ status }) => status === 'success'))
    const steps = await callServed<FlowRunStep[]>(second, 'GET', `/v1/flow-runs/${run!.id}/steps`)
    expect({ called, output: steps.at(-1)?.output }).toEqual({
      called: ['/0', '/1', '/2', '/3', '/3', '/4'],
      output: { list: [0, 10, 20, 30, 40] },
    })
  })

  it('a run whose caller was waiting has ended as interrupted', async () => {
    const dies = Promise.withResolvers<void>()
    const shop = await startThirdPartyApi(() => dies.resolve())
    const first = await home.serve()
    const flow = await createFlow(first, [
      webhook(),
      { ref_id: 'call', type: 'rest', config: { url: shop.url } },
    ])
    const answer = trigger(first, flow).catch(() => 'cut')
    await dies.promise
    await kill(first)
    expect(await answer).toBe('cut')
    const second = await home.serve()
    const [run] = await runsOf(second)
    expect(run).toMatchObject({ status: 'error', error: { code: 'interrupted' } })
  })

  it('a delay continues to its end, and no earlier', async () => {
    const first = await home.serve()
    const flow = await createFlow(first, [
      webhook({ async: true }),
      { ref_id: 'wait', type: 'delay', config: { seconds: 3_600 } },
    ])
    await trigger(first, flow)
    const isParked = (all: FlowRun[]) => all.some((run) => run.parked_until !== undefined)
    const [parked] = await untilRuns(first, isParked)
    await kill(first)
    const second = await home.serve()
    const [still] = await untilRuns(second, isParked)
    await kill(second)
    const third = await home.serve(TWO_HOURS_LATER)
    const [run] = await untilRuns(third, (all) => all.every(({ status }) => status === 'success'))
    expect(still!.parked_until).toBe(parked!.parked_until)
    expect(Date.parse(run!.finished_at!)).toBeGreaterThanOrEqual(Date.parse(parked!.parked_until!))
  })

  it('a schedule that was due while nothing ran is caught up by one run', async () => {
    const first = await home.serve()
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const flow = await callServed<Flow>(first, 'POST', '/v1/flows', {
      name: 'Once',
      status: 'active',
      steps: [{ ref_id: 'when', type: 'schedule', config: { interval: 'once', at } }],
    })
    await kill(first)
    for (const start of ['second', 'third']) {
      const served = await home.serve(TWO_HOURS_LATER)
      const runs = await untilRuns(
        served,
        (all) => all.length > 0 && all.every(({ status }) => status === 'success'),
      )
      const steps = await callServed<FlowRunStep[]>(served, 'GET', `/v1/flow-runs/${runs[0]!.id}/steps`)
      expect({ start, flowIds: runs.map((run) => run.flow_id), output: steps[0]?.output }).toEqual({
        start,
        flowIds: [flow.id],
        output: { scheduled_at: at },
      })
      await kill(served)
    }
  })
})

describe('a running schedule', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  it('runs once at each second that its pattern names', async () => {
    const served = await home.serve()
    await callServed(served, 'POST', '/v1/flows', {
      name: 'Each second',
      status: 'active',
      steps: [{ ref_id: 'when', type: 'schedule', config: { interval: 'cron', cron: '* * * * * *' } }],
    })
    const hasEnded = ({ status }: FlowRun) => status === 'success'
    const runs = (await untilRuns(served, (all) => all.filter(hasEnded).length >= 3)).filter(hasEnded)
    const steps = await Promise.all(
      runs.map(({ id }) => callServed<FlowRunStep[]>(served, 'GET', `/v1/flow-runs/${id}/steps`)),
    )
    const times = steps.map(([when]) => Date.parse((when!.output as { scheduled_at: string }).scheduled_at))
    expect({
      different: new Set(times).size,
      offTheSecond: times.filter((time) => time % 1_000 !== 0),
    }).toEqual({ different: times.length, offTheSecond: [] })
  })
})

describe('on SIGTERM', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  it('waiting callers get a response, queued runs continue at the next start, and the shutdown is clean', async () => {
    const waiting: (() => void)[] = []
    const calls = createTally()
    const shop = await startThirdPartyApi((_request, response) => {
      waiting.push(() => response.end('{}'))
      calls.add()
    })
    const first = await home.serve()
    const call: StepInput = { ref_id: 'call', type: 'rest', config: { url: shop.url } }
    const sync = await createFlow(first, [webhook({ response_body: 'in time' }), call])
    const queued = await createFlow(first, [webhook({ async: true }), call])
    const answer = trigger(first, sync)
    await trigger(first, queued)
    await calls.reached(2)
    const stop = await heedStop(first)
    askToEnd(first.process)
    await stop.begun
    for (const answerNow of waiting.splice(0)) answerNow()
    expect({ answer: await (await answer).text(), exitCode: await first.ended }).toEqual({
      answer: 'in time',
      exitCode: 0,
    })

    const second = await home.serve()
    await calls.reached(3)
    for (const answerNow of waiting.splice(0)) answerNow()
    const runs = await untilRuns(second, (all) => all.every(({ status }) => status === 'success'))
    expect(runs.map(({ flow_id: id, attempt }) => [id, attempt])).toEqual([
      [queued.id, 1],
      [sync.id, 1],
    ])
  })
})

describe('a flow with a webhook and a schedule', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  it('runs each accepted request and the missed time once after kill -9, by the trigger of each', async () => {
    const first = await home.serve()
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const flow = await callServed<Flow & { webhook: { url: string; token: string } }>(
      first,
      'POST',
      '/v1/flows',
      {
        name: 'Both',
        status: 'active',
        steps: [
          webhook({ async: true }),
          { ref_id: 'once', type: 'schedule', config: { interval: 'once', at } },
          { ref_id: 'wait', type: 'delay', config: { seconds: 600 } },
          { ref_id: 'by', type: 'set', config: { values: { ref: '{{ trigger.ref_id }}' } } },
        ],
      },
    )
    expect((await trigger(first, flow, { n: 1 })).status).toBe(200)
    await untilRuns(first, (runs) => runs.some(({ parked_until: parked }) => parked !== undefined))
    await kill(first)

    for (const start of ['second', 'third']) {
      const served = await home.serve(TWO_HOURS_LATER)
      const runs = await untilRuns(
        served,
        (all) =>
          all.length > 1 && all.every((run) => run.status === 'success' || run.parked_until !== undefined),
      )
      const steps = await callServed<FlowRunStep[]>(
        served,
        'GET',
        `/v1/flow-runs/${runs.find((run) => run.trigger === 'webhook')?.id}/steps`,
      )
      expect({
        start,
        runs: runs.map((run) => `${run.trigger} ${run.trigger_ref}`).toSorted(),
        webhook: steps.map(({ ref_id: ref, output }) => [ref, output]),
      }).toEqual({
        start,
        runs: ['schedule once', 'webhook web1'],
        webhook: [
          ['web1', { n: 1 }],
          ['wait', { waited_seconds: 600 }],
          ['by', { ref: 'web1' }],
        ],
      })
      await kill(served)
    }
  })
})
