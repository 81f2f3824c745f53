import { expect, it } from 'vitest'
import { createFileUploadRepository } from '../../../src/main/store/records/file-uploads.ts'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('an older database has no uploads and accepts new ones', () => {
  const db = aDatabase({ version: 6 })
  migrateTo(7, db)
  const files = createFileUploadRepository(db)
  const before = files.list().total
  files.insert({
    id: 'a',
    filename: 'a.txt',
    content_type: 'text/plain',
    size: 1,
    sha256: 'x',
    created_at: '2026-03-01T12:00:00.000Z',
  })
  expect({ before, total: files.list().total, filename: files.get('a')?.filename }).toEqual({
    before: 0,
    total: 1,
    filename: 'a.txt',
  })
})

it('an older database has no values and accepts new ones', () => {
  const db = aDatabase({ version: 9 })
  migrateTo(10, db)
  const count = () => db.prepare('SELECT count(*) FROM key_values').pluck().get()
  const before = count()
  db.prepare('INSERT INTO key_values VALUES (?, ?, NULL, ?)').run('a', Buffer.from('x'), 'run/a')
  expect({ before, after: count() }).toEqual({ before: 0, after: 1 })
})

it('tables know how many rows they have and how large they are', () => {
  const db = aDatabase({ version: 28 })
  db.exec(`INSERT INTO env_variables (id, name, type, value, sealed, secret, created_at, updated_at)
    VALUES ('v', 'region', 'text', '"eu"', NULL, 0, 1, 1)`)
  migrateTo(29, db)
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
})
