import { expect, test } from 'vitest'
import { z } from 'zod'
import { timestamp } from '../../src/shared/contract/common.ts'
import { AppError } from '../../src/shared/contract/errors.ts'
import { listFieldsOf, parseKeyedListQuery, parseListQuery } from '../../src/main/services/list-query.ts'

const fields = listFieldsOf(
  z.object({
    id: z.string(),
    name: z.string(),
    note: z.string().nullable(),
    status: z.enum(['active', 'draft']),
    attempt: z.number().int(),
    built_in: z.boolean(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
    tags: z.array(z.string()),
    config: z.looseObject({}),
  }),
)

const filterOf = (text: string) => parseListQuery({ filter: [text] }, { fields }).filters[0]

function refusalOf(query: Parameters<typeof parseListQuery>[0]): unknown {
  try {
    return parseListQuery(query, { fields })
  } catch (error) {
    return error instanceof AppError ? [error.code, error.data] : error
  }
}

test('every scalar field of a record can be filtered by, lists and objects cannot', () => {
  expect([...fields.keys()]).toEqual([
    'id',
    'name',
    'note',
    'status',
    'attempt',
    'built_in',
    'created_at',
    'finished_at',
  ])
})

test('a filter is cut at the first two commas; the rest is the value as it stands, or a text in quotes', () => {
  const rows: [string, string, unknown][] = [
    ['name,eq,a,b,c', 'eq', 'a,b,c'],
    ['name,eq,', 'eq', ''],
    ['name,eq, x ', 'eq', ' x '],
    ['name,like,%ft%', 'like', '%ft%'],
    ['name,like,"%ft%"', 'like', '%ft%'],
    ['name,eq,"a \\"b\\" \\u00e9"', 'eq', 'a "b" é'],
    ['name,eq,"', 'eq', '"'],
    ['name,eq,"a" or "b"', 'eq', '"a" or "b"'],
    ['name,eq,"a', 'eq', '"a'],
    ['name,eq,a\nb', 'eq', 'a\nb'],
    ['name,eq,null', 'eq', 'null'],
    ['name,in,a,b', 'in', ['a', 'b']],
    ['name,in,"a,b",c', 'in', ['"a', 'b"', 'c']],
    ['name,in,["a,b","c"]', 'in', ['a,b', 'c']],
    ['attempt,in,[1,2]', 'in', [1, 2]],
    ['attempt,ge,2', 'ge', 2],
    ['attempt,lt,"-1.5"', 'lt', -1.5],
    ['built_in,eq,true', 'eq', true],
    ['note,ne,null', 'ne', null],
    ['note,ne,"null"', 'ne', 'null'],
    ['note,in,[null,"a"]', 'in', [null, 'a']],
    ['created_at,gt,2030-01-31', 'gt', Date.UTC(2030, 0, 31)],
    ['created_at,gt,2030-01-31T12:00:00.5Z', 'gt', Date.UTC(2030, 0, 31, 12, 0, 0, 500)],
    ['created_at,gt,2030-01-31T12:00:00+02:00', 'gt', Date.UTC(2030, 0, 31, 10)],
    ['finished_at,eq,null', 'eq', null],
  ]
  expect(rows.map(([text]) => filterOf(text))).toEqual(
    rows.map(([text, operator, value]) => ({ field: text.split(',')[0], operator, value })),
  )
})

test('what a filter names must be known, and its value of the kind of the field', () => {
  const rows = [
    '',
    'name',
    'name,eq',
    'nme,eq,x',
    'tags,eq,x',
    'token,eq,x',
    '__proto__,eq,x',
    'name,is,x',
    'name,EQ,x',
    'attempt,eq,one',
    'attempt,eq,1e9',
    'attempt,like,1%',
    'built_in,eq,1',
    'built_in,gt,false',
    'created_at,gt,yesterday',
    'created_at,gt,2030-99-99',
    'created_at,eq,null',
    'name,in,[1',
    'name,in,[{}]',
  ]
  const refusals = rows.map((text) => refusalOf({ filter: [text] }))
  expect(refusals).toEqual(rows.map(() => ['validation', { filter: [expect.any(String)] }]))
  expect(refusalOf({ filter: ['nme,eq,x'] })).toEqual([
    'validation',
    {
      filter: [
        'there is no field "nme"; known are id, name, note, status, attempt, built_in, created_at, finished_at',
      ],
    },
  ])
})

test('a list is sorted by a field, downwards with a minus, and newest first where nothing is said', () => {
  expect([
    parseListQuery({ sort: 'name' }, { fields }).sort,
    parseListQuery({ sort: '-created_at' }, { fields }).sort,
    parseListQuery({}, { fields }).sort,
    refusalOf({ sort: 'colour' }),
    refusalOf({ sort: '--name' }),
  ]).toEqual([
    { field: 'name', descending: false },
    { field: 'created_at', descending: true },
    null,
    ['validation', { sort: [expect.stringContaining('there is no field "colour"')] }],
    ['validation', expect.anything()],
  ])
})

test('some lists come whole unless a page is asked for, the others by 50', () => {
  const pages = [{}, { page: 2 }, { per_page: 10 }, { page: 3, per_page: 10 }].map((query) => {
    const { page, perPage } = parseListQuery(query, { fields, whole: true })
    return [page, perPage]
  })
  const { page, perPage } = parseListQuery({}, { fields })
  expect([...pages, [page, perPage]]).toEqual([
    [1, null],
    [2, 50],
    [1, 10],
    [3, 10],
    [1, 50],
  ])
  expect(parseKeyedListQuery({ after: 'x', filter: ['status,eq,draft'] }, fields)).toEqual({
    after: 'x',
    perPage: 50,
    filters: [{ field: 'status', operator: 'eq', value: 'draft' }],
  })
})
