import type { Migration } from './migrate.ts'

export const resolvedRuns: Migration = {
  version: 48,
  name: 'resolved runs',
  up(db) {
    db.exec(`
      -- Failed runs that somebody has dealt with. One that was resumed and failed again after that is open again.
      CREATE TABLE run_resolutions (
        run_key INTEGER PRIMARY KEY REFERENCES flow_runs (key) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        note TEXT NOT NULL
      ) STRICT;
    `)
  },
}
