import type { Migration } from './migrate.ts'

/** Who pinned a value, and the run it was taken from. Unknown for existing pins. */
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
