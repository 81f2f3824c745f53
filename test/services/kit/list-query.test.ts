import { expect, test } from 'vitest'
import { AppError } from '../../../src/shared/contract/base/errors.ts'
import { parseKeyedListQuery, parseListQuery } from '../../../src/main/services/kit/list-query.ts'

test('a filter is split at the first two commas; the rest is the value as it is, or a quoted string', () => {
  const rows: [string, unknown][] = [
    ['name,eq,a,b,c', 'a,b,c'],
    ['name,eq,', ''],
    ['name,eq, x ', ' x '],
    ['name,like,%ft%', '%ft%'],
    ['name,like,"%ft%"', '%ft%'],
    ['name,eq,"a \\"b\\" \\u00e9"', 'a "b" é'],
    ['name,eq,"', '"'],
    ['name,eq,"a" or "b"', '"a" or "b"'],
    ['name,eq,"a', '"a'],
    ['name,eq,a\nb', 'a\nb'],
    ['name,eq,[1]', '[1]'],
    ['name,in,a,b', ['a', 'b']],
    ['name,in,"a",b', ['a', 'b']],
    ['name,in,["a,b","c"]', ['a,b', 'c']],
    ['attempt,in,[1,null,true]', [1, null, true]],
  ]
  expect(parseListQuery({ filter: rows.map(([text]) => text) }).filters).toEqual(
    rows.map(([text, value]) => {
      const [field, operator] = text.split(',')
      return { field, operator, value }
    }),
  )
})

test('an invalid filter is rejected with a sentence about it', () => {
  const rows: [string, string][] = [
    ['', '"" must read <field>,<operator>,<value>'],
    ['name,eq', '"name,eq" must read <field>,<operator>,<value>'],
    ['name,is,x', 'has no operator "is"; the operators are eq, ne, gt, ge, lt, le, in, like'],
    ['name,EQ,x', 'has no operator "EQ"; the operators are eq, ne, gt, ge, lt, le, in, like'],
    ['name,in,[1', '"[1" isn\'t a JSON list of plain values'],
    ['name,in,[{}]', '"[{}]" isn\'t a JSON list of plain values'],
  ]
  const refusals = rows.map(([text]) => {
    try {
      return parseListQuery({ filter: [text] })
    } catch (error) {
      return error instanceof AppError ? [error.code, error.data] : error
    }
  })
  expect(refusals).toEqual(rows.map(([, sentence]) => ['validation', { filter: [sentence] }]))
})

test('a list is sorted by a field, descending with a minus, and newest first by default', () => {
  expect(['name', '-created_at', undefined].map((sort) => parseListQuery(sort ? { sort } : {}).sort)).toEqual(
    [{ field: 'name', descending: false }, { field: 'created_at', descending: true }, null],
  )
})

test('some lists are returned completely unless a page is requested, the others by 50', () => {
  const pages = [{}, { page: 2 }, { per_page: 10 }, { page: 3, per_page: 10 }].map((query) => {
    const { page, perPage } = parseListQuery(query, { whole: true })
    return [page, perPage]
  })
  const { page, perPage } = parseListQuery({})
  expect([...pages, [page, perPage]]).toEqual([
    [1, undefined],
    [2, 50],
    [1, 10],
    [3, 10],
    [1, 50],
  ])
  expect(parseKeyedListQuery({ after: 'x', filter: ['status,eq,draft'] })).toEqual({
    after: 'x',
    page: 1,
    perPage: 50,
    filters: [{ field: 'status', operator: 'eq', value: 'draft' }],
  })
})
