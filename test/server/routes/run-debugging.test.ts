import { describe, expect, it } from 'vitest'
import type { FlowRun } from '../../../src/shared/contract/flow-runs.ts'
import type { RunComparison } from '../../../src/shared/contract/run-debugging.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, type Hook, startFlowApp } from '../../helpers/flow-app.ts'

const set = (ref_id: string, values: Record<string, unknown>): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
})
const web1: StepInput = {
  ref_id: 'web1',
  type: 'webhook',
  config: { response_body: '{"total": {{ sum.total | default(0) }}}' },
}
const orders = (factor: number): StepInput[] => [
  web1,
  set('order', { lines: '{{ web1.lines }}', customer: '{{ web1.customer }}' }),
  {
    ref_id: 'check',
    type: 'condition',
    config: { when: '{{ order.customer }}' },
    then: [
      set('note', { text: 'for {{ order.customer }}' }),
      set('sum', { total: `{{ order.lines[0].price * ${factor} }}` }),
    ],
  },
  set('done', { text: '{{ note.text }}: {{ sum.total }}' }),
]

async function run(app: FlowApp, hook: Hook, body: object): Promise<FlowRun> {
  await app.trigger(hook, { body })
  const [newest] = app.runs()
  if (!newest) throw new Error('The webhook started no run')
  return newest
}

const ended = (app: FlowApp, id: string) =>
  app.until((each) => each.id === id && ['success', 'error', 'cancelled'].includes(each.status))

const good = {
  customer: 'Ann',
  lines: [
    { sku: 'a', price: 2 },
    { sku: 'b', price: 3 },
  ],
}
const bad = {
  customer: 'Ann',
  lines: [
    { sku: 'new', price: 9 },
    { sku: 'a', price: 2 },
    { sku: 'b', price: 3 },
  ],
  gift: true,
}

describe('comparing two runs', () => {
  it('shows step by step what differs, by default from the last successful run', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(orders(2))
    const first = await run(app, hook, good)
    const failed = await run(app, hook, { ...bad, lines: [{ sku: 'a', price: {} }] })
    const later = await run(app, hook, bad)
    const answer = await app.call('GET', `/v1/flow-runs/${failed.id}/compare`)
    const { run: own, other, steps, answer: answers, cut } = answer.json as RunComparison
    expect({ own: own.id, other: other.id, cut }).toEqual({ own: failed.id, other: first.id, cut: false })
    expect(
      steps.map((step) => [
        step.ref_id,
        step.run?.status ?? null,
        step.other?.status ?? null,
        step.output.map(({ at }) => at.join('.')),
      ]),
    ).toEqual([
      ['web1', 'success', 'success', ['lines.0.price', 'lines.1', 'gift']],
      ['order', 'success', 'success', ['lines.0.price', 'lines.1']],
      ['check', 'error', 'success', ['']],
      ['note', 'success', 'success', []],
      ['sum', 'error', 'success', ['']],
      ['done', null, 'success', []],
    ])
    expect(answers).toMatchObject({ run: null, other: { status: 200 } })

    const two = await app.call('GET', `/v1/flow-runs/${later.id}/compare?with=${first.id}`)
    expect((two.json as RunComparison).steps[0]?.output).toEqual([
      { at: ['lines', 0], after: { sku: 'new', price: 9 } },
      { at: ['gift'], after: true },
    ])
    expect((two.json as RunComparison).answer.body).toEqual([{ at: ['total'], before: 4, after: 18 }])
  })

  it('says if there is nothing to compare with', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(orders(2))
    const only = await run(app, hook, good)
    expect([
      await app.call('GET', `/v1/flow-runs/${only.id}/compare`),
      await app.call('GET', `/v1/flow-runs/${only.id}/compare?with=nope`),
    ]).toMatchObject([
      { status: 404, json: { message: expect.stringContaining('no other successful run') as string } },
      { status: 404 },
    ])
  })
})

describe('replaying several runs', () => {
  it('returns a result for each, on the current or the recorded version, and stops at a limit', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(orders(2))
    const [one, two] = [await run(app, hook, good), await run(app, hook, { ...good, customer: 'Bob' })]
    await app.call('PUT', `/v1/flows/${hook.flow.id}`, { steps: orders(10) })
    const totals = async (version?: string) => {
      const answer = await app.call('POST', '/v1/flow-runs/replay', {
        ids: [one.id, 'gone', two.id, one.id],
        ...(version ? { version } : {}),
      })
      if (answer.status !== 200) throw new Error(answer.text)
      const { results } = answer.json as {
        results: { id: string; flow_run_id: string | null; error: unknown }[]
      }
      const outputs = []
      for (const { flow_run_id: id } of results) {
        const again = id === null ? null : await ended(app, id)
        outputs.push(
          again && [
            again.trigger,
            again.flow_version,
            again.parent_run_id,
            app.stepsOf(again).at(-1)?.output,
          ],
        )
      }
      return { outputs, errors: results.map(({ error }) => error) }
    }
    expect({ now: await totals(), recorded: await totals('recorded') }).toEqual({
      now: {
        outputs: [
          ['replay', 2, one.id, { text: 'for Ann: 20' }],
          null,
          ['replay', 2, two.id, { text: 'for Bob: 20' }],
        ],
        errors: [null, { code: 'not_found', message: expect.stringContaining('gone') as string }, null],
      },
      recorded: {
        outputs: [
          ['replay', 1, one.id, { text: 'for Ann: 4' }],
          null,
          ['replay', 1, two.id, { text: 'for Bob: 4' }],
        ],
        errors: [null, expect.anything(), null],
      },
    })
    expect(
      await app.call('POST', '/v1/flow-runs/replay', { ids: Array.from({ length: 101 }, () => one.id) }),
    ).toMatchObject({
      status: 400,
    })
  })
})

describe('rerunning from a step', () => {
  it('carries over the results of earlier steps, as they were or edited', async () => {
    const app = await startFlowApp()
    const hook = await app.addFlow(orders(2))
    const first = await run(app, hook, good)
    const again = async (body: object) => {
      const answer = await app.call('POST', `/v1/flow-runs/${first.id}/rerun`, body)
      if (answer.status !== 202) return (answer.json as { data: object }).data
      const next = await ended(app, (answer.json as { flow_run_id: string }).flow_run_id)
      const steps = app.stepsOf(next)
      return [
        next.parent_run_id === first.id,
        steps.at(-1)?.output,
        steps.map((step) => `${step.ref_id}${step.warnings.length > 0 ? ' taken' : ''}`).join(),
      ]
    }
    expect([
      await again({ from: 'done' }),
      await again({ from: 'done', results: { sum: { total: 7 } } }),
      await again({ from: 'sum', results: { order: { customer: 'Zoe', lines: [{ price: 50 }] } } }),
      await again({ from: 'web1', results: { web1: { ...good, customer: 'Kim' } } }),
    ]).toEqual([
      [true, { text: 'for Ann: 4' }, 'web1 taken,order taken,check taken,done'],
      [true, { text: 'for Ann: 7' }, 'web1 taken,order taken,check taken,done'],
      [true, { text: 'for Ann: 100' }, 'web1 taken,order taken,check,note taken,sum,done'],
      [true, { text: 'for Kim: 4' }, 'web1,order,check,note,sum,done'],
    ])
    const failed = await run(app, hook, { ...good, lines: [{ sku: 'a', price: {} }] })
    const order = { customer: 'Zoe', lines: [{ price: 21 }] }
    const mended = await app.call('POST', `/v1/flow-runs/${failed.id}/rerun`, {
      from: 'check',
      results: { order },
    })
    const mend = await ended(app, (mended.json as { flow_run_id: string }).flow_run_id)
    expect({ status: mend.status, output: app.stepsOf(mend).at(-1)?.output }).toEqual({
      status: 'success',
      output: { text: 'for Zoe: 42' },
    })
    expect([await again({ from: 'nope' }), await again({ from: 'order', results: { done: 1 } })]).toEqual([
      { from: [expect.stringContaining("isn't a step of version 1")] },
      { results: [expect.stringContaining('the steps are web1')] },
    ])
  })

  it('keeps secrets that were shown as *** and left unchanged', async () => {
    const app = await startFlowApp()
    const secret = 'a-secret-of-the-environment-42'
    await app.call('POST', '/v1/env-variables', { name: 'key', type: 'text', value: secret, secret: true })
    const hook = await app.addFlow([
      web1,
      set('a', { key: '{{ key }}', n: 1 }),
      set('b', { length: '{{ a.key | length }}', n: '{{ a.n }}' }),
    ])
    const first = await run(app, hook, {})
    const shown = (await app.call('GET', `/v1/flow-runs/${first.id}/results`)).json as Record<string, object>
    const answer = await app.call('POST', `/v1/flow-runs/${first.id}/rerun`, {
      from: 'b',
      results: { a: { ...shown['a'], n: 2 } },
    })
    const next = await ended(app, (answer.json as { flow_run_id: string }).flow_run_id)
    expect({ shown: shown['a'], output: app.stepsOf(next).at(-1)?.output }).toEqual({
      shown: { key: '***', n: 1 },
      output: { length: secret.length, n: 2 },
    })
  })

  it('is rejected if nothing was kept, and inside a loop', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ [1, 2] }}' },
        steps: [set('x', { n: '{{ item }}' })],
      },
    ])
    const answer = await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
    const { id } = answer.json as FlowRun
    expect(await app.call('POST', `/v1/flow-runs/${id}/rerun`, { from: 'x' })).toMatchObject({
      status: 400,
      json: { data: { from: [expect.stringContaining('inside the loop "each"')] } },
    })
    expect(await app.call('POST', '/v1/flow-runs/nope/rerun', { from: 'x' })).toMatchObject({ status: 404 })
  })
})
