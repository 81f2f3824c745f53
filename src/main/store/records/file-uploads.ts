import type { Database } from 'better-sqlite3'
import type { FileUpload } from '../../../shared/contract/file-uploads.ts'
import { toIso, toTime } from '../sql/codec.ts'
import { createLister, type Listed } from '../sql/list.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { command, rows } from '../sql/statement.ts'

/** Metadata of uploaded files; their contents are in the data folder. */
export interface FileUploadRepository {
  insert(file: FileUpload): void
  /** Updates name and content type; false if the file doesn't exist. */
  update(file: FileUpload): boolean
  get(id: string): FileUpload | null
  list(query?: ListQuery): Listed<FileUpload>
  delete(id: string): boolean
}

type FileRow = Omit<FileUpload, 'created_at'> & { readonly key: number; readonly created_at: number }

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  filename: { sql: 'filename', type: 'text' },
  content_type: { sql: 'content_type', type: 'text' },
  size: { sql: 'size', type: 'number' },
  sha256: { sql: 'sha256', type: 'text' },
  created_at: { sql: 'created_at', type: 'time' },
}

const SELECT = 'SELECT key, id, filename, content_type, size, sha256, created_at FROM file_uploads'

export function createFileUploadRepository(db: Database): FileUploadRepository {
  const insert = command(
    db,
    `INSERT INTO file_uploads (id, filename, content_type, size, sha256, created_at)
     VALUES (@id, @filename, @content_type, @size, @sha256, @created_at)`,
  )
  const update = command(
    db,
    'UPDATE file_uploads SET filename = @filename, content_type = @content_type WHERE id = @id',
  )
  const byId = rows<FileRow>(db, `${SELECT} WHERE id = ?`)
  const remove = command(db, 'DELETE FROM file_uploads WHERE id = ?')
  const lister = createLister<FileRow, FileUpload>(db, {
    select: SELECT,
    from: 'FROM file_uploads',
    key: 'key',
    columns: COLUMNS,
    toRecord: toFile,
  })

  return {
    insert: (file) => void insert.run({ ...file, created_at: toTime(file.created_at) }),
    update: ({ id, filename, content_type }) => update.run({ id, filename, content_type }) > 0,
    get(id) {
      const row = byId.get(id)
      return row === undefined ? null : toFile(row)
    },
    list: (query = {}) => lister.page(query),
    delete: (id) => remove.run(id) > 0,
  }
}

function toFile({ key: _key, created_at, ...row }: FileRow): FileUpload {
  return { ...row, created_at: toIso(created_at) }
}
