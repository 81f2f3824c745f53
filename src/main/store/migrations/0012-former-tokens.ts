import type { Migration } from './migrate.ts'

/** Hashes of tokens that are no longer valid, so that a found value can be identified. */
export const formerTokens: Migration = {
  version: 12,
  name: 'former tokens',
  up(db) {
    db.exec(`
      CREATE TABLE former_tokens (
        hash TEXT PRIMARY KEY,
        token_id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        last_four TEXT NOT NULL,
        note TEXT NOT NULL,
        scopes TEXT NOT NULL,
        expiration INTEGER,
        last_used INTEGER,
        created_at INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        ended_by TEXT NOT NULL CHECK (ended_by IN ('revoked', 'regenerated'))
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX former_tokens_by_end ON former_tokens (ended_at);
    `)
  },
}
