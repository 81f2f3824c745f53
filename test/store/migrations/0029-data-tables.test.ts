import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { dataTables } from '../../../src/main/store/migrations/0029-data-tables.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'

it('tables know how many rows they have and how large they are', () => {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, MIGRATIONS.slice(0, dataTables.version - 1))
  db.exec(`INSERT INTO env_variables (id, name, type, value, sealed, secret, created_at, updated_at)
    VALUES ('v', 'region', 'text', '"eu"', NULL, 0, 1, 1)`)
  migrate(db, MIGRATIONS.slice(0, dataTables.version))
  const sizes = () => db.prepare('SELECT row_count, bytes FROM data_tables').raw().all() as [number, number][]
  const steps = [
    `INSERT INTO data_tables (id, name, description, columns, created_at, updated_at) VALUES ('t', 'T', '', '[]', 1, 1)`,
    `INSERT INTO data_rows (table_key, cells, created_at, updated_at) VALUES (1, '{"c1":"é"}', 1, 1), (1, '{}', 1, 1)`,
    `UPDATE data_rows SET cells = '{"c1":1}' WHERE key = 2`,
    'DELETE FROM data_rows WHERE key = 1',
    'DELETE FROM data_tables',
  ].map((sql) => {
    db.exec(sql)
    return sizes()
  })
  expect({ steps, rows: db.prepare('SELECT count(*) FROM data_rows').pluck().get() }).toEqual({
    steps: [[[0, 0]], [[2, 13]], [[2, 19]], [[1, 8]], []],
    rows: 0,
  })
  expect(db.prepare('SELECT name FROM env_variables').pluck().all()).toEqual(['region'])
  db.close()
})
