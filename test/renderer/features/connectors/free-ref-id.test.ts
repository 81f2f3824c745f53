import { expect, test } from 'vitest'
import { freeRefId } from '../../../../src/renderer/features/connectors/try-store.ts'

test('a new step is named after its action, with a number if that name is taken at any depth', () => {
  const steps = [
    { ref_id: 'web1', type: 'webhook' },
    { ref_id: 'each', type: 'loop', steps: [{ ref_id: 'list_orders' }, { ref_id: 'list_orders_2' }] },
  ]
  expect([freeRefId('list_orders', steps), freeRefId('echo', steps), freeRefId('2nd', [])]).toEqual([
    'list_orders_3',
    'echo',
    'step',
  ])
})
