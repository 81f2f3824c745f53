export const FILE_UPLOADS = `
  -- What is known of each file; its content is a file of that id in the data folder.
  CREATE TABLE file_uploads (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    filename TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
`

export const KEY_VALUES = `
  CREATE TABLE key_values (
    name TEXT PRIMARY KEY,
    -- JSON, encrypted: flows keep tokens and cursors here.
    sealed BLOB NOT NULL,
    -- Milliseconds of the Unix epoch; null is kept until it is deleted.
    expires_at INTEGER,
    -- Of the change that made it so: the same one is not made twice.
    change_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX key_values_by_expiry ON key_values (expires_at) WHERE expires_at IS NOT NULL;
`

export const DATA_TABLES = `
  CREATE TABLE data_tables (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    -- JSON list of id, name and type. The ids are c1, c2 and so on: the names of the keys in the cells.
    columns TEXT NOT NULL,
    row_count INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  -- The key is never used again: pages of a list continue after it.
  CREATE TABLE data_rows (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    table_key INTEGER NOT NULL REFERENCES data_tables (key) ON DELETE CASCADE,
    -- JSON object: values by the id of their column, without empty ones. Times are in milliseconds.
    cells TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX data_rows_by_table ON data_rows (table_key, key);

  CREATE TRIGGER data_rows_added AFTER INSERT ON data_rows BEGIN
    UPDATE data_tables SET row_count = row_count + 1, bytes = bytes + octet_length(new.cells)
    WHERE key = new.table_key;
  END;
  CREATE TRIGGER data_rows_changed AFTER UPDATE OF cells ON data_rows BEGIN
    UPDATE data_tables SET bytes = bytes + octet_length(new.cells) - octet_length(old.cells)
    WHERE key = new.table_key;
  END;
  CREATE TRIGGER data_rows_removed AFTER DELETE ON data_rows BEGIN
    UPDATE data_tables SET row_count = row_count - 1, bytes = bytes - octet_length(old.cells)
    WHERE key = old.table_key;
  END;

  -- What steps changed, until their run has succeeded: one that is resumed after a crash finds its result here.
  CREATE TABLE data_changes (
    id TEXT PRIMARY KEY,
    run_key INTEGER,
    result TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`
