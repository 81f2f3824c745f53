import { expect, test } from 'vitest'
import { flowsUsing } from '../../../../src/renderer/features/data-tables/flows-using.ts'
import { answeringApi } from '../../../helpers/answering-api.ts'

const TABLE = {
  id: 't',
  name: 'people',
  description: '',
  columns: [],
  row_count: 1,
  bytes: 1,
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
}
const reads = (table: string) => ({ ref_id: 's', type: 'data_table', config: { table } })

test('flows that use a table are found by its name and its ID, in nested steps too', async () => {
  const { api } = answeringApi({
    'GET /v1/flows': [
      { name: 'by name', steps: [reads('people')] },
      { name: 'another table', steps: [reads('orders')] },
      { name: 'inside a loop', steps: [{ ref_id: 'l', type: 'loop', config: {}, steps: [reads('t')] }] },
      { name: 'none', steps: [{ ref_id: 'x', type: 'set', config: { table: 'people' } }] },
    ],
  })
  expect(await flowsUsing(api, TABLE)).toEqual(['by name', 'inside a loop'])
})

test('without permission to read flows, they are unknown', async () => {
  const { api } = answeringApi({
    'GET /v1/flows': () => {
      throw new Error('forbidden')
    },
  })
  expect(await flowsUsing(api, TABLE)).toBe(null)
})
