import { expect, it } from 'vitest'
import { z } from 'zod'
import { json, jsonObject, storedObject } from '../../../../src/shared/contract/base/common.ts'
import { parseLossless } from '../../../../src/shared/contract/base/parse-lossless.ts'

const many = (last: unknown) =>
  new Map<string, unknown>([
    ...Array.from({ length: 20_000 }, (_, at): [string, unknown] => [`key${at}`, at]),
    ['last', last],
  ])

const parse = (schema: z.ZodType, value: unknown) => parseLossless(schema, value, () => 'is wrong')

it('an object with very many keys is passed unchanged where any JSON is accepted, and as an object where an object is required', () => {
  const value = many(1)
  const schema = z.strictObject({ any: json, record: jsonObject, deep: z.array(json) })
  const { data } = parse(schema, { any: value, record: value, deep: [{ in: value }] })
  expect(data).toEqual({ any: value, record: Object.fromEntries(value), deep: [{ in: value }] })
})

it('an object with very many keys is still checked for half characters', () => {
  expect([parse(storedObject, many('whole')), parse(storedObject, many('half \ud800'))]).toMatchObject([
    { success: true },
    { success: false },
  ])
})
