import type { Migration } from './migrate.ts'

export const plugins: Migration = {
  version: 34,
  name: 'plugins',
  up(db) {
    db.exec(`
      -- Plug-ins that somebody confirmed, with their files: a backup has them.
      CREATE TABLE plugins (
        name TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        files BLOB NOT NULL,
        confirmed_by TEXT NOT NULL,
        confirmed_at INTEGER NOT NULL
      ) STRICT;
    `)
  },
}
