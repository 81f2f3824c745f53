import type { Migration } from './migrate.ts'

export const flowTests: Migration = {
  version: 45,
  name: 'tests of flows',
  up(db) {
    db.exec(`
      CREATE TABLE flow_tests (
        key INTEGER PRIMARY KEY,
        flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
        name TEXT NOT NULL,
        -- The test as it is kept in a file, without secrets.
        content TEXT NOT NULL,
        calls INTEGER NOT NULL,
        revision TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        UNIQUE (flow_key, name)
      ) STRICT;
    `)
  },
}
