import { describe, expect, it } from 'vitest'
import { quoted } from '../../../src/shared/contract/base/message.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { RunHalt } from '../../../src/main/engine/flow/model/run-halt.ts'
import type { SendRequest } from '../../../src/main/engine/ports.ts'
import { createTestRecorder, runSteps } from '../../helpers/flow-run.ts'

const set = (ref_id: string, values: object, more: Partial<StepInput> = {}): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
  ...more,
})
const call: StepInput = { ref_id: 'call', type: 'rest', config: { url: 'http://api.test/{{ item }}' } }
const loop = (config: object, steps: StepInput[]): StepInput => ({
  ref_id: 'each',
  type: 'loop',
  config: { concurrency: 3, ...config },
  steps,
})

/** An API that responds when the test tells it to. Calls are named by the last parts of their paths. */
function heldApi() {
  const waiting = new Map<string, PromiseWithResolvers<number>>()
  const called: string[] = []
  let most = 0
  let changed = Promise.withResolvers<void>()
  const change = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const sendRequest: SendRequest = async ({ url }) => {
    const name = new URL(url).pathname.slice(1)
    const response = Promise.withResolvers<number>()
    waiting.set(name, response)
    called.push(name)
    most = Math.max(most, waiting.size)
    change()
    const status = await response.promise.finally(() => {
      waiting.delete(name)
      change()
    })
    const body = Buffer.from(JSON.stringify({ of: name }))
    return {
      status,
      headers: [['content-type', 'application/json']],
      body,
      url,
      wireBytes: body.length,
      durationMs: 1,
    }
  }
  return {
    called,
    get most() {
      return most
    },
    sendRequest,
    /** Resolves when exactly these calls have been made and are waiting. */
    async until(...names: string[]) {
      while ([...waiting.keys()].toSorted().join() !== names.toSorted().join()) await changed.promise
    },
    answer: (name: string, status = 200) => waiting.get(name)?.resolve(status),
    fail: (name: string, error: Error) => waiting.get(name)?.reject(error),
  }
}

describe('a loop with concurrency', () => {
  it('runs so many iterations at once, each with results of its own, and keeps the order', async () => {
    const api = heldApi()
    const running = runSteps(
      [
        loop({ over: ['a', 'b', 'c', 'd', 'e'], collect: '{{ [index, item, seen.of, first] }}' }, [
          set('early', {}),
          call,
          set('seen', { of: '{{ call.body.of }}' }),
          {
            ref_id: 'is_first',
            type: 'condition',
            config: { when: 'index == 0' },
            then: [set('only', { yes: true })],
          },
          set('first', { known: '{{ only is defined }}' }),
        ]),
        set('after', { call: '{{ call.body.of }}', item: '{{ item is defined }}', seen: '{{ seen.of }}' }),
      ],
      { ports: { sendRequest: api.sendRequest } },
    )
    await api.until('a', 'b', 'c')
    api.answer('c')
    await api.until('a', 'b', 'd')
    api.answer('d')
    await api.until('a', 'b', 'e')
    api.answer('e')
    api.answer('b')
    api.answer('a')
    const { results, status } = await running
    expect({ status, results, most: api.most }).toMatchObject({
      status: 'success',
      most: 3,
      results: {
        each: ['a', 'b', 'c', 'd', 'e'].map((name, at) => [at, name, name, { known: at === 0 }]),
        after: { call: 'e', item: false, seen: 'e' },
      },
    })
  })

  it('lets the iterations in progress continue when one fails, begins no further one, and fails', async () => {
    const api = heldApi()
    const running = runSteps([loop({ over: ['a', 'b', 'c', 'd'] }, [call, set('then', {})])], {
      ports: { sendRequest: api.sendRequest },
    })
    await api.until('a', 'b', 'c')
    api.answer('b', 400)
    await api.until('a', 'c')
    api.answer('a')
    api.answer('c')
    const { error, ran } = await running
    expect({ error, called: api.called, ran: ran.toSorted() }).toMatchObject({
      error: { ref_id: 'call', code: 'http_error' },
      called: ['a', 'b', 'c'],
      ran: [
        'call[0]:success',
        'call[1]:error',
        'call[2]:success',
        'each:error',
        'then[0]:success',
        'then[2]:success',
      ],
    })
  })

  it('skips iterations, continues after errors, and is left as without concurrency', async () => {
    const over = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const runWith = async (on_error: StepInput['on_error'], concurrency: number) => {
      const sendRequest: SendRequest = async ({ url }) => ({
        status: url.endsWith('/b') ? 400 : 200,
        headers: [],
        body: Buffer.from(''),
        url,
        wireBytes: 0,
        durationMs: 1,
      })
      const steps = [
        { ...call, on_error },
        set('end', { of: '{{ item }}', failed: '{{ call.error is defined }}' }),
      ]
      const { results, status } = await runSteps([loop({ over, concurrency }, steps)], {
        ports: { sendRequest },
      })
      return [status, results?.['each' as never]]
    }
    for (const policy of ['continue', 'skip_iteration', 'break_loop'] as const)
      expect([policy, await runWith(policy, 4)]).toEqual([policy, await runWith(policy, 1)])
  })

  it('ends with the run when an iteration reaches a stop step', async () => {
    const { status, ran } = await runSteps([
      loop({ over: [1, 2, 3, 4, 5, 6], concurrency: 2 }, [
        {
          ref_id: 'enough',
          type: 'condition',
          config: { when: 'item == 2' },
          then: [{ ref_id: 'stop', type: 'stop', config: {} }],
        },
        set('end', {}),
      ]),
      set('never', {}),
    ])
    expect(status).toBe('success')
    expect(ran).not.toContain('never:success')
    expect(ran).not.toContain('end[1]:success')
  })

  it('continues after a crash with the iterations that were in flight', async () => {
    const over = ['a', 'b', 'c', 'd', 'e', 'f']
    const steps = [loop({ over, collect: '{{ call.body.of }}' }, [call])]
    const recorder = createTestRecorder()
    const first = heldApi()
    const died = runSteps(steps, { recorder, resumable: true, ports: { sendRequest: first.sendRequest } })
    await first.until('a', 'b', 'c')
    first.answer('b')
    await first.until('a', 'c', 'd')
    for (const name of ['a', 'c', 'd']) first.fail(name, new RunHalt('put_back', quoted('dead')))
    expect((await died).status).toBe('put_back')

    const second = heldApi()
    const resumed = runSteps(steps, {
      resumable: true,
      resumeFrom: recorder.resumeState(),
      ports: { sendRequest: second.sendRequest },
    })
    await second.until('a', 'c', 'd')
    for (const name of ['a', 'c', 'd']) second.answer(name)
    await second.until('e', 'f')
    for (const name of ['e', 'f']) second.answer(name)
    const { status, results } = await resumed
    expect({ status, results, called: second.called.toSorted() }).toMatchObject({
      status: 'success',
      results: { each: over },
      called: ['a', 'c', 'd', 'e', 'f'],
    })
  })

  it('parks only when nothing else can be done, until the first wait is over', async () => {
    const { outcome, ran } = await runSteps(
      [
        loop({ over: [300, 1, 120, 1, 1], concurrency: 3 }, [
          { ref_id: 'wait', type: 'delay', config: { seconds: '{{ item }}' } },
        ]),
      ],
      { resumable: true },
    )
    expect({ outcome, ran: ran.toSorted() }).toMatchObject({
      outcome: { kind: 'halted', reason: 'parked' },
      ran: ['wait[1]:success', 'wait[3]:success', 'wait[4]:success'],
    })
  })

  it('nests', async () => {
    const { results } = await runSteps([
      loop({ over: [[1, 2], [3, 4, 5], []], collect: '{{ inner }}' }, [
        {
          ref_id: 'inner',
          type: 'loop',
          config: { over: '{{ item }}', concurrency: 2, collect: '{{ value.of }}' },
          steps: [set('value', { of: '{{ item * 10 }}' })],
        },
      ]),
    ])
    expect(results).toMatchObject({ each: [[10, 20], [30, 40, 50], []] })
  })
})

describe('a parallel step', () => {
  const branches = (config: StepInput['config'], cases: Record<string, StepInput[]>): StepInput => ({
    ref_id: 'both',
    type: 'parallel',
    config,
    cases: Object.entries(cases).map(([label, steps]) => ({ label, steps })),
  })
  const get = (ref_id: string, more: Partial<StepInput> = {}): StepInput => ({
    ref_id,
    type: 'rest',
    config: { url: `http://api.test/${ref_id}` },
    ...more,
  })

  it('runs its branches at once, and returns the last result of each by name', async () => {
    const api = heldApi()
    const running = runSteps(
      [
        branches(
          {},
          {
            orders: [get('a'), set('picked', { of: '{{ a.body.of }}', other: '{{ b is defined }}' })],
            contacts: [get('b')],
            nothing: [],
          },
        ),
        set('after', {
          a: '{{ a.body.of }}',
          b: '{{ both.contacts.body.of }}',
          picked: '{{ both.orders.of }}',
        }),
      ],
      { ports: { sendRequest: api.sendRequest } },
    )
    await api.until('a', 'b')
    api.answer('b')
    await api.until('a')
    api.answer('a')
    const { results, status } = await running
    expect({ status, results }).toMatchObject({
      status: 'success',
      results: {
        picked: { of: 'a', other: false },
        both: { orders: { of: 'a', other: false }, contacts: { status: 200 }, nothing: null },
        after: { a: 'a', b: 'b', picked: 'a' },
      },
    })
  })

  it('lets the other branches end when one fails, then fails or continues', async () => {
    const runWith = async (on_branch_error: string) => {
      const api = heldApi()
      const running = runSteps(
        [
          branches({ on_branch_error }, { bad: [get('a')], good: [get('b'), set('end', { ok: true })] }),
          set('after', {}),
        ],
        { ports: { sendRequest: api.sendRequest } },
      )
      await api.until('a', 'b')
      api.answer('a', 400)
      await api.until('b')
      api.answer('b')
      const { status, results, ran } = await running
      return {
        status,
        both: results?.['both' as never],
        ran: ran.filter((name) => /^(?:end|after|both)/.test(name)),
      }
    }
    expect(await runWith('stop')).toMatchObject({ status: 'error', ran: ['end:success', 'both:error'] })
    expect(await runWith('continue')).toMatchObject({
      status: 'success',
      both: { bad: { error: { code: 'http_error' } }, good: { ok: true } },
      ran: ['end:success', 'both:success', 'after:success'],
    })
  })

  it('handles failures in a branch by its own try, and runs every finally when the run is cancelled', async () => {
    const careful = (name: string): StepInput => ({
      ref_id: `try_${name}`,
      type: 'try',
      try: [get(name)],
      catch: [set(`caught_${name}`, { of: `{{ try_${name}.error.ref_id }}` })],
      finally: [set(`end_${name}`, {})],
    })
    const steps = [branches({}, { one: [careful('a')], two: [careful('b')] })]
    const api = heldApi()
    const running = runSteps(steps, { ports: { sendRequest: api.sendRequest } })
    await api.until('a', 'b')
    api.answer('b', 400)
    await api.until('a')
    api.answer('a')
    expect((await running).results).toMatchObject({
      both: { one: { error: null }, two: { error: { ref_id: 'b' }, result: { of: 'b' } } },
    })

    const cancelled = new AbortController()
    const held = heldApi()
    const stopping = runSteps(steps, { signal: cancelled.signal, ports: { sendRequest: held.sendRequest } })
    await held.until('a', 'b')
    const halt = new RunHalt('cancelled', quoted('cancelled'))
    cancelled.abort(halt)
    for (const name of ['a', 'b']) held.fail(name, halt)
    const { status, ran } = await stopping
    expect([status, ran.filter((name) => name.startsWith('end_')).toSorted()]).toEqual([
      'cancelled',
      ['end_a:success', 'end_b:success'],
    ])
  })

  it('continues after a crash with what was in flight, and hands a left loop on', async () => {
    const steps = [
      loop({ over: [1, 2], concurrency: 1, collect: '{{ index }}' }, [
        branches({}, { one: [get('a')], two: [get('b', { on_error: 'break_loop' })] }),
      ]),
    ]
    const recorder = createTestRecorder()
    const first = heldApi()
    const died = runSteps(steps, { recorder, resumable: true, ports: { sendRequest: first.sendRequest } })
    await first.until('a', 'b')
    first.answer('a')
    await first.until('b')
    first.fail('b', new RunHalt('put_back', quoted('dead')))
    expect((await died).status).toBe('put_back')
    const second = heldApi()
    const resumed = runSteps(steps, {
      resumable: true,
      resumeFrom: recorder.resumeState(),
      ports: { sendRequest: second.sendRequest },
    })
    await second.until('b')
    second.answer('b', 400)
    const { status, results } = await resumed
    expect({ status, each: results?.['each' as never], called: second.called }).toEqual({
      status: 'success',
      each: [],
      called: ['b'],
    })
  })
})
