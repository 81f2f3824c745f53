import type { Migration } from './migrate.ts'

/** The name of a flow version, for finding it later; empty for most. */
export const versionNames: Migration = {
  version: 22,
  name: 'version names',
  up(db) {
    db.exec(`ALTER TABLE flow_versions ADD COLUMN name TEXT NOT NULL DEFAULT ''`)
  },
}
