import type { Migration } from './migrate.ts'

/** Pinned values that replace a step's output in test runs. */
export const stepPins: Migration = {
  version: 11,
  name: 'step pins',
  up(db) {
    db.exec(`
      CREATE TABLE step_pins (
        flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
        ref_id TEXT NOT NULL,
        value TEXT NOT NULL,
        pinned_at INTEGER NOT NULL,
        PRIMARY KEY (flow_key, ref_id)
      ) STRICT, WITHOUT ROWID;
    `)
  },
}
