export const PROGRAM = `
  -- One row: how the last opening of this database ended.
  CREATE TABLE host_state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    ended_cleanly INTEGER NOT NULL,
    boot_id TEXT NOT NULL,
    app_version TEXT NOT NULL,
    opened_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE data_keys (
    id TEXT PRIMARY KEY,
    master_key_id TEXT NOT NULL,
    wrapped BLOB NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Only what differs from the defaults.
  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE env_variables (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    -- One of the two, by whether it is secret.
    value TEXT,
    sealed BLOB,
    secret INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE rate_limits (
    client TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    window_began_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

export const IDEMPOTENCY_KEYS = `
  CREATE TABLE idempotency_keys (
    -- The user, and the token of theirs, that sent the key.
    caller TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    -- The request's fingerprint and its answer; both may hold what is secret. Null where nothing could be sealed.
    sealed BLOB,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (caller, idempotency_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
`

/** The settings for creating the public URL, and whether it is reopened at the next start. */
export const TUNNEL = `
  CREATE TABLE tunnel (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- JSON
    settings TEXT NOT NULL,
    sealed BLOB,
    is_wanted INTEGER NOT NULL,
    -- Unix time in milliseconds
    ends_at INTEGER
  ) STRICT;
`
