import type { Migration } from './migrate.ts'

export const questions: Migration = {
  version: 30,
  name: 'questions',
  up(db) {
    db.exec(`
      -- Questions that runs ask people; each has a page of its own.
      CREATE TABLE questions (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        run_key INTEGER NOT NULL REFERENCES flow_runs (key) ON DELETE CASCADE,
        -- The step and iteration within the run, which asks only once.
        step_key TEXT NOT NULL,
        ref_id TEXT NOT NULL,
        -- SHA-256 of the token in the link.
        token_hash TEXT NOT NULL UNIQUE,
        -- The page and the token, as JSON.
        sealed BLOB NOT NULL,
        asked_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        -- The button and the fields, as JSON; null until there is an answer.
        sealed_answer BLOB,
        answered_at INTEGER,
        -- The run has continued without an answer.
        closed_at INTEGER,
        UNIQUE (run_key, step_key)
      ) STRICT;
    `)
  },
}
