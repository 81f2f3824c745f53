import type { Migration } from './migrate.ts'

export const chosenRecords: Migration = {
  version: 47,
  name: 'flows and auths of tokens',
  up(db) {
    for (const table of ['tokens', 'former_tokens'])
      db.exec(`
        -- IDs of the only flows and connector auths that the token reaches, as JSON; NULL means all.
        ALTER TABLE ${table} ADD COLUMN flow_ids TEXT;
        ALTER TABLE ${table} ADD COLUMN auth_ids TEXT;
      `)
  },
}
