import type { Migration } from './migrate.ts'

export const rateLimits: Migration = {
  version: 38,
  name: 'rate limits of connectors',
  up(db) {
    db.exec(`
      -- Calls and the length of the period, as JSON; null: only the API says.
      ALTER TABLE connectors ADD COLUMN rate_limit TEXT;
    `)
  },
}
