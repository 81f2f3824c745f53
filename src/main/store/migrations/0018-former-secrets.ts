import type { Migration } from './migrate.ts'

/**
 * Replaced or deleted secrets, still sealed: stored runs can contain them, so they must stay known for redaction.
 * Triggers store them, so that no statement that overwrites or deletes a secret can forget to. A later migration that
 * recreates one of these tables must recreate its triggers.
 */
export const formerSecrets: Migration = {
  version: 18,
  name: 'former secrets',
  up(db) {
    db.exec(`
      CREATE TABLE former_secrets (
        key INTEGER PRIMARY KEY,
        -- What it belonged to, which is needed to open it: connector_auths:<id>
        owner TEXT NOT NULL,
        -- The newest key of the history that may hold it; null until somebody looks.
        newest_key INTEGER,
        sealed BLOB NOT NULL
      ) STRICT;
      CREATE INDEX former_secrets_by_newest_key ON former_secrets (newest_key);
    `)
    for (const [table, column] of SEALED) {
      const keep = `INSERT INTO former_secrets (owner, sealed) VALUES ('${table}:' || OLD.id, OLD.${column});`
      db.exec(`
        CREATE TRIGGER ${table}_secret_replaced AFTER UPDATE OF ${column} ON ${table}
          WHEN OLD.${column} IS NOT NULL AND OLD.${column} IS NOT NEW.${column} BEGIN ${keep} END;
        CREATE TRIGGER ${table}_secret_deleted AFTER DELETE ON ${table}
          WHEN OLD.${column} IS NOT NULL BEGIN ${keep} END;
      `)
    }
    db.exec(`
      -- The value of a pin; \`value\` is empty then. One that was pinned before is sealed when the folder is opened.
      ALTER TABLE step_pins ADD COLUMN sealed BLOB;
      -- The newest key of the history when it was pinned.
      ALTER TABLE step_pins ADD COLUMN newest_key INTEGER NOT NULL DEFAULT 0;
    `)
  },
}

const SEALED = [
  ['env_variables', 'sealed'],
  ['connectors', 'sealed'],
  ['connector_auths', 'sealed'],
  ['flows', 'webhook_token_sealed'],
] as const
