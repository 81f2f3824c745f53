import type { Migration } from './migrate.ts'

export const teams: Migration = {
  version: 2,
  name: 'teams',
  up(db) {
    db.exec(`
      CREATE TABLE teams (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL UNIQUE,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE team_members (
        team_key INTEGER NOT NULL REFERENCES teams (key) ON DELETE CASCADE,
        user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        -- In the order in which they were given.
        position INTEGER NOT NULL,
        PRIMARY KEY (team_key, user_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX team_members_by_user ON team_members (user_id);
    `)
  },
}
