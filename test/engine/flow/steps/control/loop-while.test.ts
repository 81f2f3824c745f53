import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../../../src/shared/contract/steps.ts'
import { runSteps } from '../../../../helpers/flow-run.ts'

const set = (ref_id: string, values: object): StepInput => ({ ref_id, type: 'set', config: { values } })
const repeat = (config: Record<string, unknown>, ...steps: StepInput[]): StepInput => ({
  ref_id: 'repeat',
  type: 'loop_while',
  config,
  steps,
})

describe('a loop that continues while a condition holds', () => {
  it('runs once before the first check, and checks the result at the end of each iteration', async () => {
    const once = await runSteps([repeat({ when: 'false' }, set('a', { n: '{{ index }}' }))])
    const thrice = await runSteps([repeat({ when: 'a.n < 2' }, set('a', { n: '{{ index }}' }))])
    expect({ once: once.results, thrice: thrice.results }).toEqual({
      once: { a: { n: 0 }, repeat: [{ n: 0 }] },
      thrice: { a: { n: 2 }, repeat: [{ n: 0 }, { n: 1 }, { n: 2 }] },
    })
  })

  it('passes the result of the previous iteration to the next one as item', async () => {
    const { results } = await runSteps([
      repeat(
        { when: 'sum.total < 10', collect: '{{ sum.total }}' },
        set('sum', { total: '{{ (item or 1) * 2 }}' }),
      ),
    ])
    expect(results).toMatchObject({ repeat: [2, 4, 8, 16] })
  })

  it('ends when a step breaks it, and also checks after an iteration that was cut short', async () => {
    const failing = (on_error: 'break_loop' | 'skip_iteration'): StepInput => ({
      ref_id: 'bad',
      type: 'set',
      on_error,
      config: { values: { x: '{{ index.a.b if index == 1 else 0 }}' } },
    })
    const broken = await runSteps([repeat({ when: 'true' }, failing('break_loop'))])
    const skipped = await runSteps([repeat({ when: 'index < 2' }, failing('skip_iteration'))])
    expect({ broken: broken.results, skipped: skipped.results }).toMatchObject({
      broken: { repeat: [{ x: 0 }] },
      skipped: { repeat: [{ x: 0 }, { x: 0 }] },
    })
  })

  it('says what to do if it would not end', async () => {
    const { error, ran } = await runSteps([repeat({ when: 'true', max_iterations: 3 }, set('a', {}))])
    expect(ran).toEqual(['a[0]:success', 'a[1]:success', 'a[2]:success', 'repeat:error'])
    expect(error).toMatchObject({
      code: 'too_many_iterations',
      ref_id: 'repeat',
      field: 'config.max_iterations',
      message:
        'Step "repeat": "when" is still true after 3 iterations, the limit set by "max_iterations"; raise it, or make "when" become false',
    })
  })
})
