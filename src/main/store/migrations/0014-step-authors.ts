import type { Migration } from './migrate.ts'

/** Who wrote the steps of a version: a run reads what both they and the flow's owner may read. Null: the owner. */
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
