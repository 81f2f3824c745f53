import { describe, expect, it } from 'vitest'
import { quoted } from '../../../../../src/shared/contract/base/message.ts'
import type { StepInput } from '../../../../../src/shared/contract/steps.ts'
import { RunHalt } from '../../../../../src/main/engine/flow/model/run-halt.ts'
import { createTestRecorder, runSteps } from '../../../../helpers/flow-run.ts'

const set = (ref_id: string, values: object = {}): StepInput => ({ ref_id, type: 'set', config: { values } })
const fail = (ref_id: string): StepInput => set(ref_id, { x: '{{ {}.a.b }}' })
const stop = (ref_id: string): StepInput => ({ ref_id, type: 'stop', config: { status: 'success' } })
const wait = (ref_id: string, seconds = 90): StepInput => ({ ref_id, type: 'delay', config: { seconds } })
const attempt = (lists: Partial<StepInput>, ref_id = 'attempt'): StepInput => ({
  ref_id,
  type: 'try',
  ...lists,
})

describe('a try step', () => {
  it('runs catch after a failure, whose details are in its result, and continues', async () => {
    const { status, ran, results } = await runSteps([
      attempt({
        try: [set('one'), fail('two'), set('three')],
        catch: [set('caught', { said: '{{ attempt.error.ref_id }}: {{ attempt.error.code }}' })],
        finally: [set('cleaned', { of: '{{ attempt.error.ref_id }}' })],
      }),
      set('end', { result: '{{ attempt.result.said }}' }),
    ])
    expect(status).toBe('success')
    expect(ran).toEqual([
      'one:success',
      'two:error',
      'caught:success',
      'cleaned:success',
      'attempt:success',
      'end:success',
    ])
    expect(results).toMatchObject({
      attempt: { error: { ref_id: 'two', code: 'template_error', data: { line: 1 } } },
      cleaned: { of: 'two' },
      end: { result: 'two: template_error' },
    })
  })

  it('runs no catch without a failure, and finally all the same', async () => {
    const { ran, results } = await runSteps([
      attempt({ try: [set('one', { n: 1 })], catch: [set('caught')], finally: [set('cleaned')] }),
      set('end', { attempt: '{{ attempt }}' }),
    ])
    expect(ran).toEqual(['one:success', 'cleaned:success', 'attempt:success', 'end:success'])
    expect(results).toMatchObject({ end: { attempt: { error: null, result: { n: 1 } } } })
  })

  it('passes the failure on after finally if nothing catches it, catch fails or finally fails', async () => {
    const none = await runSteps([attempt({ try: [fail('two')], catch: [], finally: [set('cleaned')] })])
    const inCatch = await runSteps([
      attempt({ try: [fail('two')], catch: [fail('three')], finally: [set('cleaned')] }),
    ])
    const inFinally = await runSteps([attempt({ try: [set('one')], finally: [fail('four')] })])
    expect([none, inCatch, inFinally].map(({ error, ran }) => [error?.ref_id, ran.slice(-2)])).toEqual([
      ['two', ['cleaned:success', 'attempt:error']],
      ['three', ['cleaned:success', 'attempt:error']],
      ['four', ['four:error', 'attempt:error']],
    ])
  })

  it('can be nested: an inner failure is handled by the next catch around it', async () => {
    const { status, ran } = await runSteps([
      attempt({
        try: [attempt({ try: [fail('two')], finally: [set('inner_cleaned')] }, 'inner'), set('skipped')],
        catch: [attempt({ try: [fail('again')], catch: [set('caught_again')] }, 'second')],
        finally: [set('outer_cleaned')],
      }),
    ])
    expect(status).toBe('success')
    expect(ran).toEqual([
      'two:error',
      'inner_cleaned:success',
      'inner:error',
      'again:error',
      'caught_again:success',
      'second:success',
      'outer_cleaned:success',
      'attempt:success',
    ])
  })

  it('runs finally before a loop is left, and before a stop ends the run', async () => {
    const loop = await runSteps([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1, 2, 3] },
        steps: [
          attempt({
            try: [{ ...fail('two'), on_error: 'break_loop' }],
            finally: [set('cleaned', { index: '{{ index }}' })],
          }),
          set('not_reached'),
        ],
      },
      set('end'),
    ])
    expect(loop.ran).toEqual([
      'two[0]:error',
      'cleaned[0]:success',
      'attempt[0]:success',
      'each:success',
      'end:success',
    ])
    const stopped = await runSteps([
      attempt({ try: [stop('halt'), set('skipped')], finally: [set('cleaned'), set('cleaned2')] }),
      set('end'),
    ])
    expect(stopped.ran).toEqual(['halt:success', 'cleaned:success', 'cleaned2:success', 'attempt:success'])
  })

  it('runs finally when the run is cancelled; a second time stops that as well', async () => {
    const steps = [
      attempt({
        try: [wait('long', 10)],
        catch: [set('caught')],
        finally: [wait('short', 1), set('cleaned')],
      }),
      set('end'),
    ]
    const cancelled = new RunHalt('cancelled', quoted('enough'))
    const first = new AbortController()
    const second = new AbortController()
    const once = await runSteps(steps, {
      signal: first.signal,
      ports: {
        async sleep(ms) {
          if (ms === 10_000) first.abort(cancelled)
          if (ms === 10_000) throw new Error('aborted')
        },
      },
    })
    expect({ status: once.status, ran: once.ran }).toEqual({
      status: 'cancelled',
      ran: ['long:error', 'short:success', 'cleaned:success', 'attempt:error'],
    })
    const twice = await runSteps(steps, {
      signal: first.signal,
      finallySignal: second.signal,
      ports: {
        async sleep() {
          second.abort(cancelled)
          throw new Error('aborted')
        },
      },
    })
    expect({ status: twice.status, ran: twice.ran }).toEqual({ status: 'cancelled', ran: [] })
  })

  it('runs finally after the time limit of the flow', async () => {
    let now = 0
    const { error, ran } = await runSteps(
      [attempt({ try: [wait('long', 50), set('late')], finally: [wait('short', 20), set('cleaned')] })],
      {
        settings: { timeout_seconds: 30 },
        ports: {
          clock: { now: () => now, monotonic: () => now },
          sleep: (ms) => Promise.resolve(void (now += ms)),
        },
      },
    )
    expect({ code: error?.code, ran }).toEqual({
      code: 'timeout',
      ran: ['long:success', 'short:success', 'cleaned:success', 'attempt:error'],
    })
  })
})

describe('a resumed try step', () => {
  const steps = [
    attempt({
      try: [set('one'), wait('parks')],
      catch: [set('caught')],
      finally: [wait('last', 120), set('cleaned')],
    }),
    set('end'),
  ]

  it('continues where it was, without finally in between', async () => {
    const recorder = createTestRecorder()
    const parked = await runSteps(steps, { recorder, resumable: true })
    expect([parked.status, parked.ran]).toEqual(['parked', ['one:success']])
    const resumed = await runSteps(steps, { resumeFrom: recorder.resumeState() })
    expect(resumed.ran).toEqual([
      'parks:success',
      'last:success',
      'cleaned:success',
      'attempt:success',
      'end:success',
    ])
  })

  it('only runs finally if the run was stopped while it waited, also inside a loop', async () => {
    const inLoop: StepInput[] = [
      set('before'),
      { ref_id: 'each', type: 'loop_while', config: { when: 'true' }, steps },
      set('after'),
    ]
    const recorder = createTestRecorder()
    await runSteps(inLoop, { recorder, resumable: true })
    const unwinding = new RunHalt('cancelled', quoted('enough'))
    const resumed = await runSteps(inLoop, { resumeFrom: recorder.resumeState(), unwinding })
    expect({ status: resumed.status, error: resumed.error?.message, ran: resumed.ran }).toEqual({
      status: 'cancelled',
      error: 'enough',
      ran: ['last[0]:success', 'cleaned[0]:success', 'attempt[0]:error', 'each:error'],
    })
  })
})
