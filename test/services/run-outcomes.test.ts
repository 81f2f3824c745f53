import { expect, test } from 'vitest'
import type { FlowRun, StepOutcome } from '../../src/shared/contract/flow-runs.ts'
import { startFlowApp } from '../helpers/flow-app.ts'

/** More steps than a page of the list has, and as many as the history keeps. */
const TURNS = 3_000

test('step outcomes are counted over all iterations of a run, however many there are', async () => {
  const app = await startFlowApp()
  const { flow } = await app.addFlow([
    {
      ref_id: 'each',
      type: 'loop',
      config: { over: `{{ range(${TURNS}) }}` },
      steps: [
        { ref_id: 'text', type: 'set', config: { values: { text: '{{ "x" * 40 }}' } } },
        {
          ref_id: 'rare',
          type: 'set',
          config: { values: { n: '{{ 1 // (item % 1000) }}' } },
          on_error: 'continue',
        },
        { ref_id: 'off', type: 'set', config: { values: {} }, disabled: true },
      ],
    },
    { ref_id: 'last', type: 'set', config: { values: { a: 1 } } },
  ])
  const run = (await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)).json as FlowRun
  const outcomes = (await app.call('GET', `/v1/flow-runs/${run.id}/outcomes`)).json as StepOutcome[]
  expect(outcomes.map(({ ref_id: refId, turns, statuses }) => [refId, turns, statuses])).toEqual([
    ['each', 1, { success: 1 }],
    ['text', TURNS, { success: TURNS }],
    ['rare', TURNS, { success: TURNS - 3, error: 3 }],
    ['off', TURNS, { skipped: TURNS }],
    ['last', 1, { success: 1 }],
  ])
  const [each, text] = outcomes
  expect(text?.longest_ms).toBeGreaterThan(0)
  expect(text?.duration_ms).toBeGreaterThanOrEqual(text?.longest_ms ?? Infinity)
  expect(each?.duration_ms).toBe(each?.longest_ms)
  expect((await app.call('GET', '/v1/flow-runs/none/outcomes')).status).toBe(404)
})
