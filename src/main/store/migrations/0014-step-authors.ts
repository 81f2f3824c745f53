import type { Migration } from './migrate.ts'

/**
 * Who wrote the steps of a version: a run can read only what both the author and the flow's owner can. Null: the owner.
 */
export const stepAuthors: Migration = {
  version: 14,
  name: 'step authors',
  up(db) {
    db.exec(`
      ALTER TABLE flow_versions ADD COLUMN author_id TEXT;
      ALTER TABLE working_copies ADD COLUMN author_id TEXT;
    `)
  },
}
