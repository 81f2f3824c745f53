import type { Migration } from './migrate.ts'

export const pageSessions: Migration = {
  version: 26,
  name: 'page sessions',
  up(db) {
    db.exec(`
      -- Browsers that signed in from elsewhere. A session ends with the value of its token.
      CREATE TABLE page_sessions (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        -- SHA-256 of the cookie's value
        hash TEXT NOT NULL UNIQUE,
        -- SHA-256 of the token it was signed in with
        token_hash TEXT NOT NULL,
        client TEXT NOT NULL,
        user_agent TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        last_seen INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT;
    `)
  },
}
