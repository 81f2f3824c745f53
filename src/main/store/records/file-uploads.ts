import type { Database } from 'better-sqlite3'
import type { FileUpload } from '../../../shared/contract/file-uploads.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command } from '../sql/statement.ts'

/** Metadata of uploaded files; their contents are in the data folder. */
export type FileUploadRepository = ReturnType<typeof createFileUploadRepository>

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  filename: { sql: 'filename', type: 'text' },
  content_type: { sql: 'content_type', type: 'text' },
  size: { sql: 'size', type: 'number' },
  sha256: { sql: 'sha256', type: 'text' },
  created_at: { sql: 'created_at', type: 'time' },
}

const SELECT = 'SELECT key, id, filename, content_type, size, sha256, created_at FROM file_uploads'

export function createFileUploadRepository(db: Database) {
  const records = createRecordMapper<FileUpload>(db, { created_at: 'time' })
  const insert = command(
    db,
    `INSERT INTO file_uploads (id, filename, content_type, size, sha256, created_at)
     VALUES (@id, @filename, @content_type, @size, @sha256, @created_at)`,
  )
  const update = command(
    db,
    'UPDATE file_uploads SET filename = @filename, content_type = @content_type WHERE id = @id',
  )
  const byId = records.query(`${SELECT} WHERE id = ?`)
  const remove = command(db, 'DELETE FROM file_uploads WHERE id = ?')
  const lister = records.lister({ select: SELECT, from: 'FROM file_uploads', columns: COLUMNS })

  return {
    insert: (file: FileUpload) => void insert.run(records.toRow(file)),
    /** Updates name and content type; false if the file doesn't exist. */
    update: ({ id, filename, content_type }: FileUpload) => update.run({ id, filename, content_type }) > 0,
    get: (id: string) => byId.get(id),
    list: (query: ListQuery = {}) => lister.page(query),
    delete: (id: string) => remove.run(id) > 0,
  }
}
