import type { Migration } from './migrate.ts'

/** A flow runs with the permissions of its creator. Before, all flows ran with the local user's. */
export const flowOwners: Migration = {
  version: 5,
  name: 'flow owners',
  up(db) {
    db.exec(`
      ALTER TABLE flows ADD COLUMN owner_id TEXT REFERENCES users (id);
      UPDATE flows SET owner_id = (SELECT id FROM users ORDER BY key LIMIT 1);
    `)
  },
}
