import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/main/engine/redaction/redactor.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { type FlowApp, realClock, startFlowApp } from '../../helpers/flow-app.ts'

async function run(app: FlowApp, ...configs: Record<string, unknown>[]) {
  const steps = configs.map((config, index): StepInput => ({
    ref_id: `s${index}`,
    type: 'key_value',
    config,
  }))
  const { flow } = await app.addFlow(steps)
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const [last] = app.runs()
  return last?.error ? [last.error.field, last.error.message] : app.stepsOf(last!).map(({ output }) => output)
}

describe('a key_value step', () => {
  it('keeps values between runs, the same for every flow', async () => {
    const app = await startFlowApp()
    expect(
      await run(
        app,
        { operation: 'get', key: 'a' },
        { operation: 'get', key: 'a', value: 'none yet' },
        { operation: 'set', key: 'a', value: { at: '{{ 1 + 1 }}' } },
        { operation: 'increment', key: 'n' },
        { operation: 'increment', key: 'n', value: 2.5 },
      ),
    ).toEqual([null, 'none yet', { at: 2 }, 1, 3.5])
    expect(
      await run(
        app,
        { operation: 'get', key: 'a' },
        { operation: 'list', key: '' },
        { operation: 'delete', key: 'a' },
        { operation: 'get', key: 'a' },
        { operation: 'list', key: 'n' },
      ),
    ).toEqual([
      { at: 2 },
      [
        { key: 'a', value: { at: 2 } },
        { key: 'n', value: 3.5 },
      ],
      { at: 2 },
      null,
      [{ key: 'n', value: 3.5 }],
    ])
  })

  it('distinguishes a null value from a missing one', async () => {
    const app = await startFlowApp()
    expect(
      await run(
        app,
        { operation: 'set', key: 'a', value: null },
        { operation: 'get', key: 'a', value: 'missing' },
        { operation: 'get', key: 'b', value: 'missing' },
      ),
    ).toEqual([null, null, 'missing'])
  })

  it('counts exactly even if numbers become too large for a float', async () => {
    const app = await startFlowApp()
    await run(
      app,
      { operation: 'set', key: 'n', value: '{{ 9007199254740990 }}' },
      { operation: 'increment', key: 'n' },
      { operation: 'increment', key: 'n' },
      { operation: 'increment', key: 'n' },
    )
    expect(app.store.keyValues.get('n', Date.now())?.text).toBe('9007199254740993')
  })

  it('deletes a value after its expiry', async () => {
    let now = Date.now()
    const app = await startFlowApp({ clock: { ...realClock, now: () => now } })
    await run(app, { operation: 'set', key: 'a', value: 1, ttl_seconds: 60 })
    const before = await run(app, { operation: 'get', key: 'a' })
    now += 61_000
    expect({ before, after: await run(app, { operation: 'get', key: 'a' }) }).toEqual({
      before: [1],
      after: [null],
    })
  })

  it('counts once per step and iteration, again in each run, whatever else counts at the same time', async () => {
    const app = await startFlowApp()
    const { flow } = await app.addFlow([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: '{{ range(20) | list }}' },
        steps: [{ ref_id: 'n', type: 'key_value', config: { operation: 'increment', key: 'n' } }],
      },
    ])
    await Promise.all([1, 2, 3].map(() => app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)))
    expect(app.store.keyValues.get('n', Date.now())?.text).toBe('60')
    const change = { kind: 'increment', key: 'n', id: 'run/n/0', by: 1, expiresAt: null } as const
    const { createKeyValues } = await import('../../../src/main/services/reaching/step-ports/key-values.ts')
    const port = createKeyValues({
      store: app.store,
      clock: realClock,
      redactor: () => createRedactor({ secrets: [] }),
    })
    expect({ first: await port.change(change), again: await port.change(change) }).toEqual({
      first: 61,
      again: 61,
    })
  })

  it('encrypts its values', async () => {
    const app = await startFlowApp()
    await run(app, { operation: 'set', key: 'token', value: 'planted-secret-value' })
    const sealed = app.store.keyValues.get('token', 0)
    expect(sealed?.text).toBe('"planted-secret-value"')
  })

  it('names the field, the value and what to do', async () => {
    const app = await startFlowApp()
    await run(app, { operation: 'set', key: 'text', value: 'hello' })
    expect([
      await run(app, { operation: 'set', key: '' }),
      await run(app, { operation: 'increment', key: 'text' }),
      await run(app, { operation: 'increment', key: 'a', value: 'x' }),
      await run(app, { operation: 'set', key: '{{ "k" * 501 }}' }),
      await run(app, { operation: 'set', key: 'a', value: '{{ "x" * 1000001 }}' }),
      await run(app, { operation: 'set', key: 'a', ttl_seconds: -1 }),
    ]).toEqual([
      ['config.key', expect.stringContaining('"key" is empty') as string],
      ['config.key', expect.stringContaining(`"text" isn't a number`) as string],
      ['config.value', expect.stringContaining('"value" is "x"') as string],
      ['config.key', expect.stringContaining('501 characters; the limit is 500') as string],
      ['config.key', expect.stringContaining('the limit is 1000000') as string],
      ['config.ttl_seconds', expect.stringContaining('"ttl_seconds" is -1') as string],
    ])
  })
})
