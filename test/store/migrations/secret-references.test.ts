import { expect, it } from 'vitest'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('no secret of an older database is a reference', () => {
  const db = aDatabase({ version: 42 })
  migrateTo(43, db)
  const column = db.prepare("SELECT dflt_value FROM pragma_table_info('connector_auths') WHERE name = ?")
  expect(column.pluck().get('secret_references')).toBe("'{}'")
})
