import type { Migration } from './migrate.ts'

/** When auths were last used and tested: apart from them, since a use is no change of the auth. */
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
