import type { Migration } from './migrate.ts'

/** Who pinned a value, and the run that it was taken from. Of values that are pinned already nobody knows either. */
export const pinOrigins: Migration = {
  version: 16,
  name: 'pin origins',
  up(db) {
    db.exec(`
      ALTER TABLE step_pins ADD COLUMN author_id TEXT;
      ALTER TABLE step_pins ADD COLUMN flow_run_id TEXT;
    `)
  },
}
