import { expect, it } from 'vitest'
import { mergedIn } from '../../../src/main/services/reaching/databases/mysql.ts'

it('what MySQL reports about an INSERT says how many rows are new, changed and unchanged', () => {
  expect([
    mergedIn({ affectedRows: 1, insertId: 0 }, 1),
    mergedIn({ affectedRows: 2, insertId: 0 }, 1),
    mergedIn({ affectedRows: 0, insertId: 0 }, 1),
    mergedIn({ affectedRows: 5, insertId: 0, info: 'Records: 4  Duplicates: 2  Warnings: 0' }, 4),
    mergedIn({ affectedRows: 3, insertId: 0, info: 'Datensätze: 3  Duplikate: 0  Warnungen: 0' }, 3),
    // A server that counts differently, or reports nothing.
    mergedIn({ affectedRows: 4, insertId: 0, info: 'Records: 2  Duplicates: 3  Warnings: 0' }, 2),
    mergedIn({ affectedRows: 4, insertId: 0 }, 3),
  ]).toEqual([
    { new: 1, changed: 0, unchanged: 0 },
    { new: 0, changed: 1, unchanged: 0 },
    { new: 0, changed: 0, unchanged: 1 },
    { new: 1, changed: 2, unchanged: 1 },
    { new: 3, changed: 0, unchanged: 0 },
    null,
    null,
  ])
})
