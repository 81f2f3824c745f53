import type { Migration } from './migrate.ts'

/** When auths were last used and tested. Stored separately, because using an auth doesn't change it. */
export const connectorAuthUses: Migration = {
  version: 15,
  name: 'connector auth uses',
  up(db) {
    db.exec(`
      CREATE TABLE connector_auth_uses (
        auth_key INTEGER PRIMARY KEY REFERENCES connector_auths (key) ON DELETE CASCADE,
        last_used INTEGER,
        last_tested INTEGER,
        last_test_ok INTEGER CHECK (last_test_ok IN (0, 1))
      ) STRICT;
    `)
  },
}
