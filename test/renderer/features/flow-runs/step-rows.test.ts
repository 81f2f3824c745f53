import { expect, test } from 'vitest'
import { toStepRows } from '../../../../src/renderer/features/flow-runs/step-rows.ts'
import type { FlowRunStep } from '../../../../src/shared/contract/flow-runs.ts'

const step = (id: string, path: string, iteration: number[], more: Partial<FlowRunStep> = {}) =>
  ({ id, ref_id: id, type: 'set', path, iteration, status: 'success', input: null, ...more }) as FlowRunStep
const loop = (path: string, iteration: number[], input: unknown) =>
  step(`loop ${path} ${iteration.join('.')}`, path, iteration, { type: 'loop', input: input as never })

const seen = (steps: readonly FlowRunStep[], selected?: string, toggled: readonly string[] = []) =>
  toStepRows(steps, selected, new Set(toggled)).map((row) =>
    row.kind === 'step'
      ? `${' '.repeat(row.depth)}${row.step.id}`
      : `${' '.repeat(row.depth)}${row.isOpen ? 'v' : '>'} ${row.index} ${row.label} (${row.steps.length})`,
  )

test('iterations are folded and labelled by their item, except a failed or selected one', () => {
  const steps = [
    step('before', '1', []),
    loop('2', [], [{ total: 3, id: 'A-1' }, { id: 'A-2' }, 'third']),
    step('a0', '2.steps.1', [0]),
    step('b0', '2.steps.2.then.1', [0]),
    step('a1', '2.steps.1', [1], { status: 'error' }),
    step('a2', '2.steps.1', [2]),
    step('after', '3', []),
  ]
  const first = ['before', 'loop 2 ', ' > 0 A-1 (2)', ' v 1 A-2 (1)', '  a1']
  expect(seen(steps)).toEqual([...first, ' > 2 third (1)', 'after'])
  expect(seen(steps, 'a2')).toEqual([...first, ' v 2 third (1)', '  a2', 'after'])
  expect(seen(steps, undefined, ['2#0', '2#1'])).toEqual([
    'before',
    'loop 2 ',
    ' v 0 A-1 (2)',
    '  a0',
    '   b0',
    ' > 1 A-2 (1)',
    ' > 2 third (1)',
    'after',
  ])
})

test('a loop folds all of its iterations', () => {
  const steps = [
    loop('1', [], ['x']),
    loop('1.steps.1', [0], ['p', 'q']),
    step('in 0.0', '1.steps.1.steps.1', [0, 0]),
    step('in 0.1', '1.steps.1.steps.1', [0, 1]),
    step('after', '2', []),
  ]
  expect(seen(steps, undefined, ['1.steps.1#0'])).toEqual([
    'loop 1 ',
    ' v 0 x (3)',
    '  loop 1.steps.1 0',
    'after',
  ])
  expect(seen(steps, 'in 0.0', ['1#'])).toEqual(['loop 1 ', 'after'])
})

test("nested loops fold separately; the cases of a switch aren't a loop; a single iteration is open", () => {
  const steps = [
    loop('1', [], ['x', 'y']),
    loop('1.steps.1', [0], ['p', 'q']),
    step('in 0.0', '1.steps.1.steps.1', [0, 0]),
    step('in 0.1', '1.steps.1.steps.1', [0, 1]),
    loop('1.steps.1', [1], ['r']),
    step('in 1.0', '1.steps.1.steps.1', [1, 0]),
    step('case', '2.cases.1.steps.1', []),
  ]
  expect(seen(steps, undefined, ['1#0', '1#1'])).toEqual([
    'loop 1 ',
    ' v 0 x (3)',
    '  loop 1.steps.1 0',
    '   > 0 p (1)',
    '   > 1 q (1)',
    ' v 1 y (2)',
    '  loop 1.steps.1 1',
    '   v 0 r (1)',
    '    in 1.0',
    '  case',
  ])
})
