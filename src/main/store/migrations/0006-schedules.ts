import type { Migration } from './migrate.ts'

export const schedules: Migration = {
  version: 6,
  name: 'schedules',
  up(db) {
    db.exec(`
      -- One row for each flow that runs by itself at its times.
      CREATE TABLE schedules (
        flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
        -- Of the configuration: a change of it begins anew.
        fingerprint TEXT NOT NULL,
        -- Times up to this one are dealt with.
        handled_until INTEGER NOT NULL,
        last_fired_at INTEGER
      ) STRICT;

      -- Times at which a run was accepted, so that none is accepted twice when the clock is set back.
      CREATE TABLE schedule_fires (
        flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
        fire_at INTEGER NOT NULL,
        PRIMARY KEY (flow_key, fire_at)
      ) STRICT, WITHOUT ROWID;
    `)
  },
}
