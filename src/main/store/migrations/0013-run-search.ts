import type { Migration } from './migrate.ts'

/**
 * Full-text search over the history. The index holds words and the keys of their runs, but not the text itself
 * (`content=''`); it gets folded words separated by spaces, so the simplest tokenizer is enough.
 */
export const runSearch: Migration = {
  version: 13,
  name: 'run search',
  up(db) {
    db.exec(`
      CREATE VIRTUAL TABLE run_search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');

      -- One row: up to which run the index goes.
      CREATE TABLE run_search_state (
        only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
        indexed_to INTEGER NOT NULL
      ) STRICT;
      INSERT INTO run_search_state (only_row, indexed_to) VALUES (1, 0);

      -- Runs up to there that are not in it: they had not ended then, or went on later.
      CREATE TABLE run_search_waiting (
        run_key INTEGER PRIMARY KEY REFERENCES flow_runs (key) ON DELETE CASCADE
      ) STRICT;
    `)
  },
}
