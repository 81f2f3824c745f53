import { describe, expect, it } from 'vitest'
import { newestRows, rowsFrom, tableProblem } from '../../../src/main/engine/sql/select-rows.ts'

const ORDERS = { table: 'sales."or.ders"', key: ['id'], cursor: 'up"da`ted' } as const
const WHOLE = { table: 'orders', key: [], cursor: null } as const

describe('the rows of a table that a trigger reads', () => {
  it('are selected with quoted names and a placeholder, in each kind of database', () => {
    expect([
      rowsFrom({ ...ORDERS, kind: 'sqlite' }, ORDERS.cursor, '2026-01-31T12:00:00Z', 9),
      rowsFrom({ ...ORDERS, kind: 'postgres' }, ORDERS.cursor, 7, 9),
      rowsFrom({ ...ORDERS, kind: 'mysql' }, ORDERS.cursor, '2026-01-31T12:00:00.5Z', 9),
      rowsFrom({ ...ORDERS, kind: 'mysql' }, ORDERS.cursor, null, 9),
      newestRows({ ...ORDERS, kind: 'postgres' }, 1),
      newestRows({ ...WHOLE, kind: 'mysql' }, 2),
    ]).toEqual([
      {
        statement:
          'SELECT * FROM "sales"."or.ders" WHERE "up""da`ted" >= ? ORDER BY "up""da`ted", "id" LIMIT 9',
        parameters: ['2026-01-31T12:00:00Z'],
      },
      {
        statement:
          'SELECT * FROM "sales"."or.ders" WHERE "up""da`ted" >= $1 ORDER BY "up""da`ted", "id" LIMIT 9',
        parameters: [7],
      },
      {
        statement:
          'SELECT * FROM `sales`.`or.ders` WHERE `up"da``ted` >= ? ORDER BY `up"da``ted`, `id` LIMIT 9',
        parameters: ['2026-01-31 12:00:00.5'],
      },
      {
        statement:
          'SELECT * FROM `sales`.`or.ders` WHERE `up"da``ted` IS NOT NULL ORDER BY `up"da``ted`, `id` LIMIT 9',
        parameters: [],
      },
      {
        statement:
          'SELECT * FROM "sales"."or.ders" WHERE "up""da`ted" IS NOT NULL ORDER BY "up""da`ted" DESC, "id" DESC LIMIT 1',
        parameters: [],
      },
      { statement: 'SELECT * FROM `orders` LIMIT 2', parameters: [] },
    ])
  })

  it.each(['a.b.c.d', '"a', 'a.', '.a', '', 'a"b'])("can't be selected from a table named %j", (name) => {
    expect(tableProblem(name)).toMatchObject({ key: expect.stringContaining('must be a name') })
  })
})
