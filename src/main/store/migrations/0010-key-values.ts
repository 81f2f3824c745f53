import type { Migration } from './migrate.ts'

export const keyValues: Migration = {
  version: 10,
  name: 'key-values',
  up(db) {
    db.exec(`
      CREATE TABLE key_values (
        name TEXT PRIMARY KEY,
        -- JSON, encrypted: flows keep tokens and cursors here.
        sealed BLOB NOT NULL,
        -- Milliseconds of the Unix epoch; null is kept until it is deleted.
        expires_at INTEGER,
        -- Of the change that made it so: the same one is not made twice.
        change_id TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX key_values_by_expiry ON key_values (expires_at) WHERE expires_at IS NOT NULL;
    `)
  },
}
