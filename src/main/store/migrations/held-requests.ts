import type { Migration } from './migrate.ts'

export const heldRequests: Migration = {
  version: 39,
  name: 'held requests',
  up(db) {
    db.exec(`
      -- Webhook requests that were held, or should have been.
      CREATE TABLE held_requests (
        request_key INTEGER PRIMARY KEY REFERENCES webhook_requests (key) ON DELETE CASCADE,
        -- How it left the hold.
        outcome TEXT NOT NULL,
        -- The request before it was edited, and the response by hand, as JSON; null if there is neither.
        sealed BLOB
      ) STRICT;
    `)
  },
}
