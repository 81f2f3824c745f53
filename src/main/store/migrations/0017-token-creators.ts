import type { Migration } from './migrate.ts'

/** The token that created a token: it limits the new token's lifetime, and revoking it revokes the new one too. */
export const tokenCreators: Migration = {
  version: 17,
  name: 'token creators',
  up(db) {
    db.exec(`
      ALTER TABLE tokens ADD COLUMN created_by TEXT;
      CREATE INDEX tokens_by_creator ON tokens (created_by) WHERE created_by IS NOT NULL;
    `)
  },
}
