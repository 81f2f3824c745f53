import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createFileUploadRepository } from '../../../src/main/store/records/file-uploads.ts'
import { migrate } from '../../../src/main/store/migrations/migrate.ts'
import { MIGRATIONS } from '../../../src/main/store/migrations/index.ts'

it('an older database has no uploads and accepts new ones', () => {
  const db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, 6))
  migrate(db, MIGRATIONS.slice(0, 7))
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
  db.close()
})
