import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../../../src/shared/contract/steps.ts'
import { data, runSteps } from '../../../../helpers/flow-run.ts'

const set = (ref_id: string, value: unknown): StepInput => ({
  ref_id,
  type: 'set',
  config: { values: { value } },
})
const byStatus: StepInput = {
  ref_id: 'way',
  type: 'switch',
  config: { value: '{{ web1.status }}' },
  cases: [
    { label: 'paid', steps: [set('paid', 1), set('label_inside', '{{ way.label }}')] },
    { label: '7', steps: [set('seven', 7)] },
    { label: 'true', steps: [set('yes', true)] },
    { label: 'paid', steps: [set('never', 0)] },
  ],
  default: [set('other', '{{ way.label }}')],
}

async function withStatus(status: unknown) {
  const web1: StepInput = { ref_id: 'web1', type: 'webhook', config: {} }
  const { ran, results } = await runSteps([web1, byStatus], { input: data({ status }) })
  return { ran: ran.slice(1), way: (results as Record<string, unknown>)['way'] }
}

describe('a switch', () => {
  it('runs the first case whose label equals the value, and its steps can read the label', async () => {
    expect(await withStatus('paid')).toEqual({
      ran: ['paid:success', 'label_inside:success', 'way:success'],
      way: { label: 'paid' },
    })
  })

  it('compares numbers and booleans by how they are written', async () => {
    expect([await withStatus(7), await withStatus(true)]).toEqual([
      { ran: ['seven:success', 'way:success'], way: { label: '7' } },
      { ran: ['yes:success', 'way:success'], way: { label: 'true' } },
    ])
  })

  it('runs the default if no label matches', async () => {
    expect(await withStatus('unknown')).toEqual({
      ran: ['other:success', 'way:success'],
      way: { label: null },
    })
  })

  it('identifies its steps by case in the history and in messages', async () => {
    const { reports } = await runSteps([
      { ...byStatus, config: { value: 'paid' } },
      { ...byStatus, ref_id: 'way2', config: { value: 'x' }, cases: [], default: [set('d', 1)] },
    ])
    expect(reports.map(({ step }) => [step.path, step.position])).toEqual([
      ['1.cases.1.steps.1', 'steps[0].cases[0].steps[0]'],
      ['1.cases.1.steps.2', 'steps[0].cases[0].steps[1]'],
      ['1', 'steps[0]'],
      ['2.default.1', 'steps[1].default[0]'],
      ['2', 'steps[1]'],
    ])
  })

  it('ends the surrounding loop if a step of a case leaves it', async () => {
    const { results } = await runSteps([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1, 2, 3] },
        steps: [
          {
            ref_id: 'way',
            type: 'switch',
            config: { value: '{{ item }}' },
            cases: [
              {
                label: '2',
                steps: [
                  {
                    ref_id: 'bad',
                    type: 'stop',
                    config: { message: '{{ a.b.c }}' },
                    on_error: 'skip_iteration',
                  },
                ],
              },
            ],
          },
          set('after', '{{ item }}'),
        ],
      },
    ])
    expect(results).toMatchObject({ each: [{ value: 1 }, { value: 3 }] })
  })
})
