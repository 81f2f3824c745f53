import type { Migration } from './migrate.ts'

/** Which runs the program has died during, so that none makes it die at every start. */
export const runDeaths: Migration = {
  version: 31,
  name: 'run deaths',
  up(db) {
    db.exec(`
      -- How often the program has died during the run since it was last parked or released.
      ALTER TABLE run_queue ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
    `)
  },
}
