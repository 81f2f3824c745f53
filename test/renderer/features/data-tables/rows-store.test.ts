import { expect, test } from 'vitest'
import { cellText, toCell } from '../../../../src/renderer/features/data-tables/cell-text.ts'
import { createRowsStore } from '../../../../src/renderer/features/data-tables/rows-store.ts'
import { answeringApi, until } from '../../../helpers/answering-api.ts'

const TABLE = {
  id: 't',
  name: 'people',
  description: '',
  columns: [{ id: 'c1', name: 'email', type: 'text' }],
  row_count: 1,
  bytes: 1,
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
}

test('the text in a cell can be sent again', () => {
  const cells = [
    ['text', 'a"b'],
    ['number', 12.5],
    ['boolean', false],
    ['json', { a: [1, '2'] }],
    ['json', 'text'],
    ['json', null],
  ] as const
  expect(cells.map(([type, value]) => [cellText(value), toCell(cellText(value), type)])).toEqual([
    ['a"b', 'a"b'],
    ['12.5', '12.5'],
    ['false', 'false'],
    ['{"a":[1,"2"]}', { a: [1, '2'] }],
    ['text', 'text'],
    ['', null],
  ])
})

test('rows are filtered as text, whatever it contains, and follow live changes while they are shown', async () => {
  let rows = [{ _id: 1, email: 'a' }]
  let filter: string | readonly string[] | undefined
  const { api, emit } = answeringApi({
    'GET /v1/data-tables/:id': TABLE,
    'GET /v1/data-tables/:id/rows': ({ query }: { query: Record<string, string> }) => {
      filter = query['filter']
      return rows
    },
  })
  const store = createRowsStore(api)
  const close = store.getState().opened('t')
  await until(store, (state) => state.rows?.length === 1)
  rows = [...rows, { _id: 2, email: 'b' }]
  emit({ type: 'updated', noun: 'data_table', id: 't' })
  await until(store, (state) => state.rows?.length === 2)
  await store.getState().viewed({ column: 'email', contains: 'x,"y' })
  expect(filter).toBe(String.raw`email,like,"%x,\"y%"`)
  close()
})
