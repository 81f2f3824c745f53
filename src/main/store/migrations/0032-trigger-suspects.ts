import type { Migration } from './migrate.ts'

/** What a trigger was reading when the program died, so that it isn't read at every start. */
export const triggerSuspects: Migration = {
  version: 32,
  name: 'trigger suspects',
  up(db) {
    db.exec(`
      -- What the trigger is reading: one of its entries, or '' for all it looks at. Null while it doesn't look.
      ALTER TABLE triggers ADD COLUMN reading TEXT;

      -- What was being read when the program died, and what can't be read.
      CREATE TABLE trigger_suspects (
        flow_key INTEGER NOT NULL REFERENCES triggers (flow_key) ON DELETE CASCADE,
        item TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('suspect', 'set_aside', 'retry')),
        deaths INTEGER NOT NULL,
        at INTEGER NOT NULL,
        -- What the user sees of it, as JSON; null until it is set aside.
        sealed BLOB,
        PRIMARY KEY (flow_key, item)
      ) STRICT, WITHOUT ROWID;
    `)
  },
}
