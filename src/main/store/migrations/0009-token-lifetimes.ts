import type { Migration } from './migrate.ts'

/** When the access token of an OAuth auth was issued and when it expires, in milliseconds; null if unknown. */
export const tokenLifetimes: Migration = {
  version: 9,
  name: 'token lifetimes',
  up(db) {
    db.exec(`
      ALTER TABLE connector_auths ADD COLUMN token_issued_at INTEGER;
      ALTER TABLE connector_auths ADD COLUMN token_expires_at INTEGER;
    `)
  },
}
