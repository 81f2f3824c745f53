import type { Migration } from './migrate.ts'

export const forwards: Migration = {
  version: 41,
  name: 'forwards of webhooks',
  up(db) {
    db.exec(`
      -- How the webhook of a flow forwards its requests, as JSON.
      CREATE TABLE flow_forwards (
        flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
        forward TEXT NOT NULL
      ) STRICT;

      -- Each sending of a webhook request to a local program.
      CREATE TABLE webhook_attempts (
        key INTEGER PRIMARY KEY,
        request_key INTEGER NOT NULL,
        request_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        url TEXT NOT NULL,
        status INTEGER,
        duration_ms REAL NOT NULL,
        -- Key and values, as JSON
        error TEXT,
        answered_caller INTEGER NOT NULL,
        -- Bytes of the whole body of the response
        size INTEGER NOT NULL,
        -- Headers of the response and the beginning of its body; null without a key to seal them with
        sealed BLOB
      ) STRICT;
      CREATE INDEX webhook_attempts_by_request ON webhook_attempts (request_key);

      -- Forwarded requests exactly as they arrived.
      CREATE TABLE webhook_originals (
        key INTEGER PRIMARY KEY,
        request_key INTEGER NOT NULL UNIQUE,
        request_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        -- Bytes of "sealed": read without it
        size INTEGER NOT NULL,
        sealed BLOB NOT NULL,
        -- Of the flow whose program they wait for; null: they don't wait
        waits_for INTEGER
      ) STRICT;
      CREATE INDEX webhook_originals_waiting ON webhook_originals (waits_for) WHERE waits_for IS NOT NULL;

      -- A request that is replaced keeps them: that runs no trigger.
      CREATE TRIGGER webhook_request_deleted AFTER DELETE ON webhook_requests BEGIN
        DELETE FROM webhook_attempts WHERE request_key = OLD.key AND request_id = OLD.id;
        DELETE FROM webhook_originals WHERE request_key = OLD.key AND request_id = OLD.id;
      END;
    `)
  },
}
