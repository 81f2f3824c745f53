import type { Migration } from './migrate.ts'

/** Bodies of webhook requests that were read and then rejected: their senders debug with them. */
export const rejectedBodies: Migration = {
  version: 23,
  name: 'rejected bodies',
  up(db) {
    db.exec(`
      CREATE TABLE rejected_bodies (
        request_key INTEGER PRIMARY KEY REFERENCES webhook_requests (key) ON DELETE CASCADE,
        -- Bytes of "sealed": read without it
        size INTEGER NOT NULL,
        sealed BLOB NOT NULL
      ) STRICT;
    `)
  },
}
