import type { Migration } from './migrate.ts'

/** What a version of a flow is called by those who look for it later; empty for most. */
export const versionNames: Migration = {
  version: 22,
  name: 'version names',
  up(db) {
    db.exec(`ALTER TABLE flow_versions ADD COLUMN name TEXT NOT NULL DEFAULT ''`)
  },
}
