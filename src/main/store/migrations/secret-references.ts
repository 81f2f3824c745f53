import type { Migration } from './migrate.ts'

export const secretReferences: Migration = {
  version: 43,
  name: 'references to secrets',
  up(db) {
    db.exec(`
      -- Where secrets are that are kept elsewhere, by field, as JSON. A value in "sealed" is never a reference.
      ALTER TABLE connector_auths ADD COLUMN secret_references TEXT NOT NULL DEFAULT '{}';
    `)
  },
}
