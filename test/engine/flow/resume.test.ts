import { quoted } from '../../../src/shared/contract/base/message.ts'
import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { RunHalt } from '../../../src/main/engine/flow/model/run-halt.ts'
import type { SendRequest } from '../../../src/main/engine/ports.ts'
import { createTestRecorder, runSteps } from '../../helpers/flow-run.ts'

const set = (ref_id: string, values: object): StepInput => ({ ref_id, type: 'set', config: { values } })
const call = (ref_id: string, body: unknown): StepInput => ({
  ref_id,
  type: 'rest',
  config: { method: 'POST', url: 'http://api.test/', body: { say: body } },
})

/**
 * Responds like an API; after `alive` calls the process "dies": its recorder accepts nothing more, and no call returns.
 */
function dyingApi(alive: number) {
  const said: unknown[] = []
  const keys: (string | undefined)[] = []
  const send: SendRequest = async ({ body, headers, url }) => {
    said.push((JSON.parse(String(body)) as { say: unknown }).say)
    keys.push(headers.find(([name]) => name === 'Idempotency-Key')?.[1])
    if (said.length > alive) throw new RunHalt('put_back', quoted('dead'))
    const text = JSON.stringify({ n: said.length })
    return {
      status: 200,
      headers: [['content-type', 'application/json']],
      body: Buffer.from(text),
      url,
      wireBytes: text.length,
      durationMs: 1,
    }
  }
  return { said, keys, send }
}

describe('a resumed run', () => {
  const steps = [
    set('start', { id: '{{ lipsum(n=1, html=false) }}' }),
    call('one', '{{ start.id }}'),
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: '{{ ["a", "b", "c"] }}', collect: '{{ inner.body.n }}' },
      steps: [
        {
          ref_id: 'check',
          type: 'condition',
          config: { when: "{{ item != 'x' }}" },
          then: [call('inner', '{{ item }}')],
        },
      ],
    },
    set('end', { list: '{{ each }}', last: '{{ inner.body.n }}' }),
  ]

  it('continues at the step in progress and repeats no finished one', async () => {
    const recorder = createTestRecorder()
    const first = dyingApi(2)
    const died = await runSteps(steps, { recorder, resumable: true, ports: { sendRequest: first.send } })
    expect(died.status).toBe('put_back')

    const second = dyingApi(10)
    const resumed = await runSteps(steps, {
      resumable: true,
      resumeFrom: recorder.resumeState(),
      ports: { sendRequest: second.send },
    })
    expect(resumed.status).toBe('success')
    expect([...first.said.slice(1), second.said]).toEqual(['a', 'b', ['b', 'c']])
    expect(first.keys.slice(1).concat(second.keys)).toEqual([
      'run-1-inner-0',
      'run-1-inner-1',
      'run-1-inner-1',
      'run-1-inner-2',
    ])
    expect(resumed.results).toMatchObject({
      start: { id: first.said[0] },
      each: [2, 1, 2],
      end: { list: [2, 1, 2], last: 2 },
    })
    expect(resumed.ran).not.toContain('one:success')
  })

  it('waits for the rest of a delay', async () => {
    const recorder = createTestRecorder()
    const parked = await runSteps(
      [{ ref_id: 'wait', type: 'delay', config: { seconds: 90 } }, set('after', {})],
      { recorder, resumable: true },
    )
    expect(parked.outcome).toMatchObject({
      kind: 'halted',
      reason: 'parked',
      resumeAt: Date.UTC(2030, 0, 1, 0, 1, 30),
    })
    const early = await runSteps(
      [{ ref_id: 'wait', type: 'delay', config: { seconds: 90 } }, set('after', {})],
      {
        resumeFrom: recorder.resumeState(),
      },
    )
    expect(early.slept).toEqual([90_000])
  })

  it('keeps the warnings of its steps, each once', async () => {
    const recorder = createTestRecorder()
    const steps: StepInput[] = [
      { ref_id: 'told', type: 'respond', config: { body: 'hello' } },
      { ref_id: 'again', type: 'respond', config: { body: 'hello' } },
      { ref_id: 'wait', type: 'delay', config: { seconds: 90 } },
    ]
    await runSteps(steps, { recorder, resumable: true })
    const { outcome } = await runSteps(steps, { resumeFrom: recorder.resumeState() })
    const message = 'No caller is waiting for a response, or it has already been sent'
    const warnings = ['told', 'again'].map((ref) => ({
      code: 'nobody_waits',
      message: `Step "${ref}": ${message}`,
    }))
    expect(outcome).toMatchObject({ kind: 'ended', end: { warnings } })
  })

  it('keeps the failure of a step', async () => {
    const steps: StepInput[] = [
      { ref_id: 'bad', type: 'rest', config: { url: '{{ "no address" }}' }, on_error: 'continue' },
      { ref_id: 'wait', type: 'delay', config: { seconds: 90 } },
      set('after', { code: '{{ bad.error.code }}' }),
    ]
    const recorder = createTestRecorder()
    await runSteps(steps, { recorder, resumable: true })
    const { results, ran } = await runSteps(steps, { resumeFrom: recorder.resumeState() })
    expect({ results, ran }).toMatchObject({
      results: { after: { code: 'validation' } },
      ran: ['wait:success', 'after:success'],
    })
  })

  it('continues the count of attempts', async () => {
    const steps: StepInput[] = [
      {
        ref_id: 'call',
        type: 'rest',
        config: { url: 'http://api.test/' },
        retry: { attempts: 2, wait_seconds: 120 },
      },
    ]
    const recorder = createTestRecorder()
    const options = { recorder, resumable: true, settings: { automatic_retries: false } }
    expect((await runSteps(steps, options)).outcome).toMatchObject({ kind: 'halted', reason: 'parked' })
    const again = await runSteps(steps, {
      ...options,
      recorder: createTestRecorder(),
      resumeFrom: recorder.resumeState(),
    })
    expect(again).toMatchObject({ status: 'error', reports: [{ attempt: 2 }] })
  })
})
