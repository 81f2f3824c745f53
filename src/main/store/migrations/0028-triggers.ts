import type { Migration } from './migrate.ts'

export const triggers: Migration = {
  version: 28,
  name: 'triggers',
  up(db) {
    db.exec(`
      -- One row for each flow whose trigger looks for what is new.
      CREATE TABLE triggers (
        flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
        -- Of what it looks at: a change of it starts over.
        fingerprint TEXT NOT NULL,
        -- The first check has ended.
        is_started INTEGER NOT NULL DEFAULT 0,
        -- How far it has read, as JSON; null at the beginning.
        sealed_state BLOB,
        checked_at INTEGER,
        found_at INTEGER,
        found INTEGER NOT NULL DEFAULT 0,
        next_at INTEGER NOT NULL,
        failures INTEGER NOT NULL DEFAULT 0,
        -- Redacted.
        error TEXT,
        error_at INTEGER
      ) STRICT;

      -- What a trigger has found, as the first half of a SHA-256.
      CREATE TABLE trigger_entries (
        flow_key INTEGER NOT NULL REFERENCES triggers (flow_key) ON DELETE CASCADE,
        id BLOB NOT NULL,
        -- When it was last there, in days since 1970.
        seen_day INTEGER NOT NULL,
        PRIMARY KEY (flow_key, id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX trigger_entries_by_day ON trigger_entries (flow_key, seen_day);
    `)
  },
}
