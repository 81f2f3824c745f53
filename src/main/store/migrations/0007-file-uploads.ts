import type { Migration } from './migrate.ts'

export const fileUploads: Migration = {
  version: 7,
  name: 'file-uploads',
  up(db) {
    db.exec(`
      -- What is known of each file; its content is a file of that id in the data folder.
      CREATE TABLE file_uploads (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        filename TEXT NOT NULL,
        content_type TEXT NOT NULL,
        size INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT;
    `)
  },
}
