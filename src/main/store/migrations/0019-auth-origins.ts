import type { Migration } from './migrate.ts'

/** Where the secrets of an auth or a connector may be sent: the origins configured when they were entered. */
export const authOrigins: Migration = {
  version: 19,
  name: 'auth origins',
  up(db) {
    db.exec(`
      -- JSON lists. Null: stored by an earlier version, and to be bound when the program starts.
      ALTER TABLE connector_auths ADD COLUMN origins TEXT;
      ALTER TABLE connectors ADD COLUMN origins TEXT;
      -- Where the auth leads to now and its secrets have not been: it waits for them to be entered again.
      ALTER TABLE connector_auths ADD COLUMN new_origins TEXT NOT NULL DEFAULT '[]';
    `)
  },
}
