import type { Migration } from './migrate.ts'

export const seenDeliveries: Migration = {
  version: 8,
  name: 'seen deliveries',
  up(db) {
    db.exec(`
      -- Webhook requests that a sender may repeat: what it was answered the first time.
      CREATE TABLE seen_deliveries (
        key INTEGER PRIMARY KEY,
        flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
        -- SHA-256 of the sender's id
        hash BLOB NOT NULL,
        at INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        UNIQUE (flow_key, hash)
      ) STRICT;
    `)
  },
}
