import type { Migration } from './migrate.ts'

export const breakpoints: Migration = {
  version: 40,
  name: 'breakpoints',
  up(db) {
    db.exec(`
      CREATE TABLE breakpoints (
        flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
        ref_id TEXT NOT NULL,
        condition TEXT NOT NULL,
        -- Not only test runs.
        real_runs INTEGER NOT NULL CHECK (real_runs IN (0, 1)),
        PRIMARY KEY (flow_key, ref_id)
      ) STRICT;

      -- Where runs have stopped.
      CREATE TABLE run_stops (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        run_key INTEGER NOT NULL REFERENCES flow_runs (key) ON DELETE CASCADE,
        -- The step and iteration within the run.
        step_key TEXT NOT NULL,
        ref_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        -- What is shown of it, as JSON.
        sealed BLOB NOT NULL,
        -- How the run continues, as JSON; null until that is decided.
        sealed_decision BLOB,
        UNIQUE (run_key, step_key)
      ) STRICT;
    `)
  },
}
