import { describe, expect, it } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { data, runSteps } from '../../helpers/flow-run.ts'

const set = (ref_id: string, values: object, more: Partial<StepInput> = {}): StepInput => ({
  ref_id,
  type: 'set',
  config: { values },
  ...more,
})

describe('a loop', () => {
  it('returns the last result of each iteration, or what it collects', async () => {
    const { results } = await runSteps([
      {
        ref_id: 'last',
        type: 'loop',
        config: { over: ['a', 'b'] },
        steps: [set('one', { n: '{{ index }}' }), set('two', { of: '{{ item }}' })],
      },
      {
        ref_id: 'picked',
        type: 'loop',
        config: { over: '{{ last }}', collect: '{{ item.of ~ index }}' },
        steps: [],
      },
    ])
    expect(results).toEqual({
      last: [{ of: 'a' }, { of: 'b' }],
      one: { n: 1 },
      two: { of: 'b' },
      picked: ['a0', 'b1'],
    })
  })

  it('nests: inside, item and index are the inner ones, and afterwards the outer ones again', async () => {
    const { results, ran } = await runSteps([
      {
        ref_id: 'rows',
        type: 'loop',
        config: { over: [[1, 2], [3]], collect: '{{ [index, cells, after.row] }}' },
        steps: [
          {
            ref_id: 'cells',
            type: 'loop',
            config: { over: '{{ item }}', collect: '{{ item * 10 + index }}' },
            steps: [set('cell', {})],
          },
          set('after', { row: '{{ item | length }}-{{ index }}' }),
        ],
      },
      set('outside', { item: '{{ item is defined }}', index: '{{ index is defined }}' }),
    ])
    expect(results).toMatchObject({
      rows: [
        [0, [10, 21], '2-0'],
        [1, [30], '1-1'],
      ],
      outside: { item: false, index: false },
    })
    expect(ran).toEqual([
      'cell[0,0]:success',
      'cell[0,1]:success',
      'cells[0]:success',
      'after[0]:success',
      'cell[1,0]:success',
      'cells[1]:success',
      'after[1]:success',
      'rows:success',
      'outside:success',
    ])
  })

  it('has no results of the previous iteration, and after it those of the last iteration', async () => {
    const { results } = await runSteps([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1, 2, 3], collect: '{{ seen.before }}' },
        steps: [
          set('seen', { before: '{{ odd is defined }}' }),
          {
            ref_id: 'is_odd',
            type: 'condition',
            config: { when: '{{ item % 2 }}' },
            then: [set('odd', { n: '{{ item }}' })],
          },
        ],
      },
      set('after', { n: '{{ odd.n }}', result: '{{ is_odd.result }}' }),
    ])
    expect(results).toMatchObject({ each: [false, false, false], after: { n: 3, result: true } })
  })

  it('accepts a string that parses as a list, and rejects other values', async () => {
    const text = await runSteps([
      { ref_id: 'each', type: 'loop', config: { over: "['a', 2]", collect: '{{ item }}' }, steps: [] },
    ])
    const wrong = await runSteps([
      { ref_id: 'each', type: 'loop', config: { over: '{{ nothing }}' }, steps: [] },
    ])
    expect(text.results).toEqual({ each: ['a', 2] })
    expect(wrong.error).toMatchObject({ ref_id: 'each', field: 'config.over' })
  })

  it('returns an empty list for an empty list', async () => {
    const { results } = await runSteps([
      { ref_id: 'each', type: 'loop', config: { over: [] }, steps: [set('never', {})] },
      set('after', { never: '{{ never is defined }}' }),
    ])
    expect(results).toEqual({ each: [], after: { never: false } })
  })

  it('ends with the run when a stop step is reached', async () => {
    const { status, ran } = await runSteps([
      {
        ref_id: 'each',
        type: 'loop',
        config: { over: [1, 2] },
        steps: [{ ref_id: 'enough', type: 'stop', config: { message: 'at {{ item }}' } }, set('never', {})],
      },
      set('never2', {}),
    ])
    expect({ status, ran }).toEqual({ status: 'success', ran: ['enough[0]:success', 'each:success'] })
  })

  it('runs 100,000 iterations of a set step without blocking the event loop', async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    const input = data({ list: Array.from({ length: 100_000 }, (_, index) => index) })
    const { results } = await runSteps(
      [
        { ref_id: 'web1', type: 'webhook' },
        {
          ref_id: 'each',
          type: 'loop',
          config: { over: '{{ web1.list }}', collect: '{{ n.n }}' },
          steps: [set('n', { n: '{{ index }}' })],
        },
        set('count', { n: '{{ each | length }}' }),
      ],
      { input, ports: { clock: { now: () => Date.now(), monotonic: () => performance.now() } } },
    )
    clearInterval(timer)
    expect(results).toMatchObject({ count: { n: 100_000 } })
    expect(ticks).toBeGreaterThan(3)
  })
})

describe('a condition', () => {
  const branches = { then: [set('yes', {})], else: [set('no', {})] }
  const taken = async (config: Record<string, unknown>) =>
    (await runSteps([{ ref_id: 'check', type: 'condition', config, ...branches }], { input: data({}) }))
      .ran[0]

  it('takes a branch by a template or a bare expression', async () => {
    expect(
      await Promise.all(
        ['{{ 1 < 2 }}', '1 < 2', '{{ none }}', '{% if false %}x{% endif %}', '{{ [] }}'].map((when) =>
          taken({ when }),
        ),
      ),
    ).toEqual(['yes:success', 'yes:success', 'no:success', 'no:success', 'no:success'])
  })

  it.each([
    [5, 'greater', 4, true],
    ['10', 'greater', '9', true],
    [4, 'smaller', '4.5', true],
    [4, 'greater_equal', 4, true],
    ['2030-01-02', 'greater', '2030-01-01', true],
    ['5', 'equal', 5, true],
    [[1, 2], 'equal', [1, 2], true],
    ['abc', 'string_is', 'abc', true],
    ['abc', 'string_is', 'ABC', false],
    [true, 'string_is', 'true', true],
    ['abc', 'string_begins', 'ab', true],
    ['abc', 'string_ends', 'bc', true],
    ['abc', 'string_includes', 'b', true],
    ['abc', 'string_includes', 'x', false],
  ])('compares %j %s %j', async (a, comparison, b, holds) => {
    expect(await taken({ a, comparison, b })).toBe(holds ? 'yes:success' : 'no:success')
  })

  it('reports what cannot be compared', async () => {
    const { error } = await runSteps([
      { ref_id: 'check', type: 'condition', config: { a: 'x', comparison: 'greater', b: 4 }, ...branches },
    ])
    expect(error?.message).toBe(
      'Step "check": "x" and 4 can\'t be compared with "greater"; both must be numbers, or both strings',
    )
  })

  it('makes its result readable for its children', async () => {
    const { results } = await runSteps([
      {
        ref_id: 'check',
        type: 'condition',
        config: { when: 'true' },
        then: [set('inside', { r: '{{ check.result }}' })],
      },
    ])
    expect(results).toEqual({ check: { result: true }, inside: { r: true } })
  })
})

describe('a response', () => {
  const webhook = (config: Record<string, unknown>): StepInput => ({
    ref_id: 'web1',
    type: 'webhook',
    config,
  })
  const answer = async (config: Record<string, unknown>, steps: StepInput[] = [], input: object = {}) => {
    const { outcome, status, error } = await runSteps([webhook(config), ...steps], {
      awaited: true,
      input: data(input),
    })
    return outcome.kind === 'ended' && outcome.answer
      ? [outcome.answer.status, outcome.answer.body]
      : [status, error?.field]
  }

  it('is rendered from the results after the last step', async () => {
    expect(
      await answer(
        {
          response_status_code: '{{ web1.code }}',
          response_body: '{"valid": {{ check.ok }}, "name": "{{ web1.name }}"}',
        },
        [set('check', { ok: '{{ web1.n > 1 }}' })],
        {
          code: 201,
          n: 2,
          name: 'He said "hi"',
        },
      ),
    ).toEqual([201, '{"valid": true, "name": "He said \\"hi\\""}'])
  })

  it('is null if none is configured', async () => {
    expect(await answer({})).toEqual([200, 'null'])
  })

  it('that cannot be rendered fails the run, naming the field', async () => {
    expect(await answer({ response_status_code: '{{ 99 }}' })).toEqual([
      'error',
      'config.response_status_code',
    ])
    expect(await answer({ response_body: '{{ 1 / 0 }}' })).toEqual(['error', 'config.response_body'])
  })

  it('is sent early by respond, once, and the flow continues', async () => {
    const { outcome, recorder, results } = await runSteps(
      [
        webhook({ response_body: 'late' }),
        { ref_id: 'first', type: 'respond', config: { status_code: 202, body: 'soon: {{ web1.a }}' } },
        { ref_id: 'second', type: 'respond', config: { body: 'again' } },
        set('after', {}),
      ],
      { awaited: true, input: data({ a: 1 }) },
    )
    expect(outcome).toMatchObject({ answer: { status: 202, body: 'soon: 1' } })
    expect(results).toMatchObject({ first: { answered: true }, second: { answered: false }, after: {} })
    expect(recorder.events.map(({ type }) => type).filter((type) => type === 'answered')).toHaveLength(1)
  })
})
