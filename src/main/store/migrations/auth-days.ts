import type { Migration } from './migrate.ts'

export const authDays: Migration = {
  version: 36,
  name: 'auth days',
  up(db) {
    db.exec(`
      -- When an API last accepted or rejected the credentials.
      ALTER TABLE connector_auth_uses ADD COLUMN last_result INTEGER;
      ALTER TABLE connector_auth_uses ADD COLUMN last_result_ok INTEGER CHECK (last_result_ok IN (0, 1));
      CREATE TABLE connector_auth_days (
        auth_key INTEGER NOT NULL REFERENCES connector_auths (key) ON DELETE CASCADE,
        -- Days since 1970, in UTC.
        day INTEGER NOT NULL,
        worked INTEGER NOT NULL,
        rejected INTEGER NOT NULL,
        PRIMARY KEY (auth_key, day)
      ) STRICT, WITHOUT ROWID;
      -- Until the next call, the last test is what is known.
      UPDATE connector_auth_uses SET last_result = last_tested, last_result_ok = last_test_ok;
    `)
  },
}
