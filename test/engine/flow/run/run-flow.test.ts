import { quoted } from '../../../../src/shared/contract/base/message.ts'
import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../../src/shared/contract/steps.ts'
import { RunHalt } from '../../../../src/main/engine/flow/model/run-halt.ts'
import { createTestRecorder, data, runSteps } from '../../../helpers/flow-run.ts'

const set = (ref_id: string, values: object, more: Partial<StepInput> = {}): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
  ...more,
})
/** A step that fails when it is reached. */
const failing = (ref_id: string, more: Partial<StepInput> = {}): StepInput =>
  set(ref_id, { broken: '{{ nothing.at.all }}' }, more)

describe('a run', () => {
  it('stops if it cannot be recorded, and no step reports that as its own failure', async () => {
    const full = new Error('the disk is full')
    const counted: StepInput = { ref_id: 'count', type: 'key_value', config: { operation: 'get', key: 'n' } }
    const around: readonly StepInput[] = [
      counted,
      { ref_id: 'each', type: 'loop', config: { over: [1, 2] }, steps: [counted], on_error: 'continue' },
      { ref_id: 'if', type: 'condition', config: { when: 'true' }, then: [counted], on_error: 'continue' },
    ]
    for (const step of around) {
      const recorder = createTestRecorder()
      const commit = () => (recorder.events.length > 0 ? Promise.reject(full) : recorder.commit())
      const run = runSteps([step, set('after', {})], { recorder: { ...recorder, commit } })
      await expect(run).rejects.toBe(full)
      const finished = recorder.events.flatMap((event) =>
        event.type === 'step_finished' ? [event.report.status] : [],
      )
      expect(finished.filter((status) => status === 'error')).toEqual([])
    }
  })

  it('passes each result on under its ref_id, with its type', async () => {
    const { results, status } = await runSteps(
      [
        { ref_id: 'web1', type: 'webhook' },
        set('total', {
          sum: '{{ web1.a + web1.b }}',
          text: 'a is {{ web1.a }}',
          list: ['{{ web1.a }}', { deep: '{{ web1.b }}' }],
        }),
        set('after', { twice: '{{ total.sum * 2 }}' }),
      ],
      { input: data({ a: 1, b: 2 }) },
    )
    expect({ status, results }).toEqual({
      status: 'success',
      results: {
        web1: { a: 1, b: 2 },
        total: { sum: 3, text: 'a is 1', list: [1, { deep: 2 }] },
        after: { twice: 6 },
      },
    })
  })

  it('lets step results override variables, and variables override globals', async () => {
    const { results } = await runSteps(
      [set('shop', { name: '{{ shop }} {{ range }}' }), set('after', { name: '{{ shop.name }}' })],
      {
        env: { shop: 'env', range: 'mine' },
      },
    )
    expect(results).toEqual({ shop: { name: 'env mine' }, after: { name: 'env mine' } })
  })

  it('reads the headers and the raw body of its webhook separately from the input', async () => {
    const { results } = await runSteps(
      [
        { ref_id: 'web1', type: 'webhook' },
        set('seen', { raw: '{{ webhook.raw_body }}', agent: "{{ webhook.headers['user-agent'] }}" }),
      ],
      {
        input: data({ headers: 'mine' }),
        webhook: data({ raw_body: '{"a":1}', headers: { 'user-agent': 'curl' } }),
      },
    )
    expect(results).toEqual({ web1: { headers: 'mine' }, seen: { raw: '{"a":1}', agent: 'curl' } })
  })

  it('skips a disabled step and its children', async () => {
    const { ran, results } = await runSteps([
      {
        ref_id: 'off',
        type: 'condition',
        config: { when: '{{ true }}' },
        disabled: true,
        then: [set('inside', {})],
      },
      set('after', { seen: '{{ off is defined }}' }),
    ])
    expect({ ran, results }).toEqual({
      ran: ['off:skipped', 'after:success'],
      results: { after: { seen: false } },
    })
  })

  it('fails at a step of an unknown type and names the type', async () => {
    const { status, error } = await runSteps([set('before', {}), { ref_id: 'odd', type: 'teleport' }])
    expect(status).toBe('error')
    expect(error).toMatchObject({
      code: 'unknown_step_type',
      ref_id: 'odd',
      message: expect.stringMatching(
        /^Step "odd": has the type "teleport", for which there is no equivalent step/,
      ),
    })
  })

  it('names step, field, line and column of a template that fails', async () => {
    const { error } = await runSteps([set('first', { list: ['fine', 'two\nlines {{ 1 / 0 }}'] })])
    expect(error).toMatchObject({
      code: 'template_error',
      ref_id: 'first',
      field: 'config.values.list[1]',
      line: 2,
      column: 12,
    })
    expect(error?.message).toContain('Step "first", field "config.values.list[1]", line 2, column 12')
  })

  it('commits once, at its end, if no step has effects outside', async () => {
    const { recorder } = await runSteps([{ ref_id: 'web1', type: 'webhook' }, set('a', {}), set('b', {})], {
      awaited: true,
    })
    expect(recorder.commits).toHaveLength(1)
  })

  it('commits before and after each step with effects outside', async () => {
    const { recorder } = await runSteps([
      set('a', {}),
      { ref_id: 'wait', type: 'delay', config: { seconds: 1 } },
      set('b', {}),
    ])
    expect(recorder.commits).toEqual([
      ['a:success', 'wait:running'],
      ['wait:success'],
      ['b:success', 'run_finished'],
    ])
  })

  it('waits for no commit around a list of pages, which only reads, and only after a response', async () => {
    const pagination = { query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.items' }
    const page = Buffer.from('{"items": []}')
    const { recorder } = await runSteps(
      [
        set('a', {}),
        { ref_id: 'pages', type: 'rest', config: { url: 'http://api.test/items', pagination } },
        { ref_id: 'told', type: 'respond', config: { body: 'hello' } },
        set('b', {}),
      ],
      {
        awaited: true,
        ports: {
          sendRequest: ({ url }) =>
            Promise.resolve({ status: 200, headers: [], body: page, url, wireBytes: 13, durationMs: 1 }),
        },
      },
    )
    expect(recorder.commits).toEqual([
      ['a:success', 'pages:success', 'told:success', 'answered'],
      ['b:success', 'run_finished'],
    ])
    expect(recorder.soon).toBeGreaterThan(0)
  })

  it('ends as cancelled when it is cancelled, with the step in progress', async () => {
    const cancel = new AbortController()
    const { status, error, ran } = await runSteps(
      [{ ref_id: 'wait', type: 'delay', config: { seconds: 60 } }, set('never', {})],
      {
        signal: cancel.signal,
        ports: {
          sleep: (_ms, signal) =>
            new Promise((_resolve, reject) => {
              signal?.addEventListener('abort', () => reject(signal.reason))
              setImmediate(() => cancel.abort())
            }),
        },
      },
    )
    expect({ status, ran, code: error?.code }).toEqual({
      status: 'cancelled',
      ran: ['wait:error'],
      code: 'cancelled',
    })
  })

  it('fails at its time limit', async () => {
    const { status, error } = await runSteps(
      [
        { ref_id: 'wait', type: 'delay', config: { seconds: 3 } },
        { ref_id: 'more', type: 'delay', config: { seconds: 3 } },
        set('never', {}),
      ],
      { settings: { timeout_seconds: 5 } },
    )
    expect({ status, code: error?.code }).toEqual({ status: 'error', code: 'timeout' })
  })

  it('does not let a step catch the halt of a run', async () => {
    const stop = new AbortController()
    stop.abort(new RunHalt('interrupted', quoted('Millrace is stopping')))
    const { status, error } = await runSteps([set('a', {}, { on_error: 'continue' })], {
      signal: stop.signal,
    })
    expect({ status, code: error?.code }).toEqual({ status: 'error', code: 'interrupted' })
  })

  it("renders the flow's title, and ignores a broken one", async () => {
    const steps = [set('a', { who: 'Ada' })]
    const titled = await runSteps(steps, { settings: { dynamic_title: 'Order of {{ a.who }}' } })
    const broken = await runSteps(steps, { settings: { dynamic_title: '{{ a.b.c }}' } })
    expect({ titled: titled.outcome, broken: broken.outcome }).toMatchObject({
      titled: { end: { title: 'Order of Ada', status: 'success' } },
      broken: { end: { title: null, status: 'success', warnings: [{ code: 'title' }] } },
    })
  })
})

describe('on_error', () => {
  it('stop fails the run, which is the default', async () => {
    const { status, ran, error } = await runSteps([failing('bad'), set('never', {})])
    expect({ status, ran, ref: error?.ref_id }).toEqual({ status: 'error', ran: ['bad:error'], ref: 'bad' })
  })

  it('continue continues the flow, and the error can be read', async () => {
    const { status, results } = await runSteps([
      failing('bad', { on_error: 'continue' }),
      set('after', { code: '{{ bad.error.code }}' }),
    ])
    expect(status).toBe('success')
    expect(results).toMatchObject({ after: { code: 'template_error' } })
  })

  it('skip_iteration ends the iteration, which collects nothing', async () => {
    const { results, ran } = await runSteps([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1, 0, 2] },
        steps: [
          set('half', { of: '{{ 10 / item }}' }, { on_error: 'skip_iteration' }),
          set('done', { n: '{{ item }}' }),
        ],
      },
    ])
    expect(results).toMatchObject({ each: [{ n: 1 }, { n: 2 }] })
    expect(ran.filter((step) => step.startsWith('done'))).toEqual(['done[0]:success', 'done[2]:success'])
  })

  it('break_loop ends the loop, keeping the previous iterations', async () => {
    const { results, status } = await runSteps([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1, 0, 2] },
        steps: [
          {
            ref_id: 'check',
            type: 'condition',
            config: { when: '{{ true }}' },
            then: [set('half', { of: '{{ 10 // item }}' }, { on_error: 'break_loop' })],
          },
        ],
      },
      set('after', { turns: '{{ each | length }}' }),
    ])
    expect({ status, results }).toMatchObject({
      status: 'success',
      results: { each: [{ of: 10 }], after: { turns: 1 } },
    })
  })

  it('skip_iteration outside of a loop acts as stop', async () => {
    expect((await runSteps([failing('bad', { on_error: 'skip_iteration' }), set('never', {})])).ran).toEqual([
      'bad:error',
    ])
  })

  it('of a loop catches what its children pass on', async () => {
    const { status, ran, results } = await runSteps([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1, 2] },
        on_error: 'continue',
        steps: [failing('bad')],
      },
      set('after', { step: '{{ each.error.message }}' }),
    ])
    expect({ status, ran }).toEqual({
      status: 'success',
      ran: ['bad[0]:error', 'each:error', 'after:success'],
    })
    expect(JSON.stringify(results)).toContain('Step \\"bad\\"')
  })
})

describe('retry', () => {
  it('repeats a step after the wait, as often as configured', async () => {
    const { slept, reports, status } = await runSteps(
      [
        {
          ref_id: 'call',
          type: 'rest',
          config: { url: 'http://127.0.0.1:9/' },
          retry: { attempts: 3, wait_seconds: 2 },
        },
      ],
      { settings: { automatic_retries: false } },
    )
    expect({ slept, status, attempt: reports[0]?.attempt }).toEqual({
      slept: [2000, 2000],
      status: 'error',
      attempt: 3,
    })
  })

  it('does not repeat what would fail again', async () => {
    const { slept } = await runSteps([failing('bad', { retry: { attempts: 3, wait_seconds: 2 } })])
    expect(slept).toEqual([])
  })
})
