import type { Migration } from './migrate.ts'

export const idempotencyKeys: Migration = {
  version: 4,
  name: 'idempotency-keys',
  up(db) {
    db.exec(`
      CREATE TABLE idempotency_keys (
        -- The user, and the token of theirs, that sent the key.
        caller TEXT NOT NULL,
        idempotency_key TEXT NOT NULL,
        -- The request's fingerprint and its answer; both may hold what is secret. Null where nothing could be sealed.
        sealed BLOB,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (caller, idempotency_key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
    `)
  },
}
