import { expect, test } from 'vitest'
import { placeProblems } from '../../../../../src/renderer/features/flows/state/problems-store.ts'
import { newStep } from '../../../../../src/renderer/features/flows/step-types/index.ts'

test('problems have the step and the field that their path names, errors first', () => {
  const check = { ...newStep('condition', 'check'), then: [newStep('rest', 'call')] }
  const placed = placeProblems(
    [newStep('set', 'values'), check],
    [
      { severity: 'warning', ref_id: 'check', path: 'steps[1]', message: 'a' },
      { severity: 'error', ref_id: null, path: 'steps[1].then[0].config.url', message: 'b' },
      { severity: 'error', ref_id: null, path: 'steps', message: 'c' },
    ],
  )
  expect(placed.map(({ stepRef, field, message }) => [stepRef, field, message])).toEqual([
    ['call', 'config.url', 'b'],
    [null, '', 'c'],
    ['check', '', 'a'],
  ])
})
