import type { Migration } from './migrate.ts'

export const tokenReach: Migration = {
  version: 47,
  name: 'what tokens reach and write',
  up(db) {
    for (const table of ['tokens', 'former_tokens'])
      db.exec(`
        -- IDs of the only flows and connector auths that the token reaches, as JSON; NULL means all.
        ALTER TABLE ${table} ADD COLUMN flow_ids TEXT;
        ALTER TABLE ${table} ADD COLUMN auth_ids TEXT;
      `)
    db.exec(`
      -- Note of the token that wrote these steps, or some of them; NULL if people did.
      ALTER TABLE working_copies ADD COLUMN written_with TEXT;
    `)
  },
}
