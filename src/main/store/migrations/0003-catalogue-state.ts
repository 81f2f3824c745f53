import type { Migration } from './migrate.ts'

export const catalogueState: Migration = {
  version: 3,
  name: 'catalogue-state',
  up(db) {
    db.exec(`
      CREATE TABLE catalogue_state (
        only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
        -- Of the files that the built-in connectors were last brought in line with.
        fingerprint TEXT NOT NULL
      ) STRICT;
    `)
  },
}
