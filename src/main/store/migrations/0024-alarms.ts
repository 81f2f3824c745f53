import type { Migration } from './migrate.ts'

/** The alarms that flows have had, and those that have yet to be sent. */
export const alarms: Migration = {
  version: 24,
  name: 'alarms',
  up(db) {
    db.exec(`
      CREATE TABLE alarm_states (
        flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
        -- Of the latest event: failed, silent or missed.
        kind TEXT,
        -- Whether what it says still holds.
        is_open INTEGER NOT NULL,
        -- Whether the latest alarm said that something is wrong.
        told_open INTEGER NOT NULL,
        told_at INTEGER,
        -- Events since then.
        held_back INTEGER NOT NULL,
        run_id TEXT,
        message TEXT,
        last_run_at INTEGER,
        -- Milliseconds since the last run in which the program was off.
        off_ms INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE alarms (
        key INTEGER PRIMARY KEY,
        body TEXT NOT NULL,
        -- Those that have yet to get it.
        channels TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        next_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX alarms_by_time ON alarms (next_at);

      -- When the program was last known to run, for silence that it slept through.
      CREATE TABLE alarm_clock (
        only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
        alive_at INTEGER NOT NULL
      ) STRICT;
    `)
  },
}
