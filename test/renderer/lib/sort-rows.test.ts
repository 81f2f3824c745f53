import { expect, test } from 'vitest'
import { nextOrder, sortRows } from '../../../src/renderer/lib/sort-rows.ts'

test('text is sorted as in a dictionary, with the numbers in it by size', () => {
  const names = ['flow 10', 'Zeta', 'éclair', 'flow 2', 'Eat', '']
  expect({
    ascending: sortRows(names, (name) => name, 'ascending'),
    descending: sortRows(names, (name) => name, 'descending'),
  }).toEqual({
    ascending: ['', 'Eat', 'éclair', 'flow 2', 'flow 10', 'Zeta'],
    descending: ['Zeta', 'flow 10', 'flow 2', 'éclair', 'Eat', ''],
  })
})

test('numbers are sorted by size, and rows with the same key keep their order', () => {
  const rows = [
    { id: 'a', size: 10 },
    { id: 'b', size: -2 },
    { id: 'c', size: 10 },
    { id: 'd', size: null },
  ]
  const idsBy = (order: 'ascending' | 'descending') =>
    sortRows(rows, ({ size }) => size, order)
      .map(({ id }) => id)
      .join('')
  expect([idsBy('ascending'), idsBy('descending')]).toEqual(['dbac', 'acbd'])
})

test('times are in order, and rows without a time come last', () => {
  const times = ['9999', '2026-02-01T10:00:00.000Z', '2026-01-31T09:59:59.999Z']
  expect(sortRows(times, (time) => time, 'ascending')).toEqual(times.toReversed())
})

test('clicks go through both orders and back to the original order', () => {
  const text = nextOrder(null, 'a')
  const count = nextOrder(null, 3)
  expect({
    text: [text, nextOrder(text, 'a'), nextOrder(nextOrder(text, 'a'), 'a')],
    count: [count, nextOrder(count, 3), nextOrder(nextOrder(count, 3), 3)],
  }).toEqual({
    text: ['ascending', 'descending', null],
    count: ['descending', 'ascending', null],
  })
})
