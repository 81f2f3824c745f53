import type { Migration } from './migrate.ts'

/** How the public URL is made, and whether it comes back with the next start. */
export const tunnel: Migration = {
  version: 25,
  name: 'tunnel',
  up(db) {
    db.exec(`
      CREATE TABLE tunnel (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        -- JSON
        settings TEXT NOT NULL,
        sealed BLOB,
        is_wanted INTEGER NOT NULL,
        -- Unix time in milliseconds
        ends_at INTEGER
      ) STRICT;
    `)
  },
}
