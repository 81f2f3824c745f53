import type { Migration } from './migrate.ts'

/**
 * Conventions of all tables: `key` increases in the order of insertion and is what lists page by; `id` is the public
 * UUID. Times are milliseconds since 1970, flags 0 or 1, structured values JSON, and columns named `sealed` hold values
 * that only the secret box can open.
 */
export const firstSchema: Migration = {
  version: 1,
  name: 'first schema',
  up(db) {
    db.exec(PROGRAM)
    db.exec(CONNECTORS)
    db.exec(FLOWS)
    db.exec(HISTORY)
  },
}

const PROGRAM = `
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

  CREATE TABLE users (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE tokens (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash TEXT NOT NULL UNIQUE,
    last_four TEXT NOT NULL,
    note TEXT NOT NULL,
    scopes TEXT NOT NULL,
    expiration INTEGER,
    last_used INTEGER,
    created_at INTEGER NOT NULL
  ) STRICT;

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

const CONNECTORS = `
  CREATE TABLE connectors (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    base_domain TEXT NOT NULL,
    auth_config TEXT NOT NULL,
    header TEXT,
    url_token_extension TEXT,
    pagination_config TEXT,
    search_config TEXT,
    test_action TEXT,
    allowed_origins TEXT NOT NULL,
    short_description TEXT NOT NULL,
    long_description TEXT NOT NULL,
    image_url TEXT NOT NULL,
    external_docs TEXT NOT NULL,
    tags TEXT NOT NULL,
    built_in INTEGER NOT NULL,
    sealed BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE actions (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    connector_id TEXT NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    status TEXT NOT NULL,
    method TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    query TEXT NOT NULL,
    headers TEXT NOT NULL,
    body TEXT NOT NULL,
    ui_form_schema TEXT NOT NULL,
    supports_automatic_pagination INTEGER NOT NULL,
    short_description TEXT NOT NULL,
    tag TEXT NOT NULL,
    external_docs TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (connector_id, name)
  ) STRICT;

  CREATE TABLE connector_auths (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    connector_id TEXT NOT NULL REFERENCES connectors (id),
    owner_id TEXT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    auth_type TEXT NOT NULL,
    auth_details TEXT NOT NULL,
    api_endpoint TEXT NOT NULL,
    user_input TEXT NOT NULL,
    username TEXT NOT NULL,
    tags TEXT NOT NULL,
    visibility TEXT NOT NULL,
    user_ids TEXT NOT NULL,
    secret_names TEXT NOT NULL,
    state TEXT NOT NULL,
    sealed BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX connector_auths_by_connector ON connector_auths (connector_id);
`

const FLOWS = `
  -- A deleted flow disappears at once; its row goes when the last of its runs has been deleted, portion by portion.
  CREATE TABLE flows (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    tags TEXT NOT NULL,
    status TEXT NOT NULL,
    settings TEXT NOT NULL,
    -- settings.concurrency, for the queue
    concurrency INTEGER,
    version INTEGER NOT NULL,
    webhook_token_hash TEXT,
    webhook_token_sealed BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
  ) STRICT;
  CREATE INDEX flows_deleted ON flows (key) WHERE deleted_at IS NOT NULL;

  CREATE TABLE flow_versions (
    flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    steps TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (flow_key, version)
  ) STRICT;

  CREATE TABLE working_copies (
    flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
    steps TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
`

/**
 * The tables that grow. Rows of runs and requests are narrow, so that scanning 100,000 of them stays cheap; large
 * values are in `history_parts`. No index is in random order (see ids.ts), and a successful run is in one index only.
 */
const HISTORY = `
  CREATE TABLE flow_runs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    flow_key INTEGER NOT NULL REFERENCES flows (key),
    flow_version INTEGER NOT NULL,
    title TEXT NOT NULL,
    trigger TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    duration_ms REAL,
    attempt INTEGER NOT NULL,
    parent_run_id TEXT,
    error TEXT,
    warnings TEXT
  ) STRICT;
  CREATE INDEX flow_runs_by_flow ON flow_runs (flow_key);
  CREATE INDEX flow_runs_not_successful ON flow_runs (status) WHERE status <> 'success';

  -- A request that started a run has the run's key.
  CREATE TABLE webhook_requests (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    flow_key INTEGER,
    at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    reason TEXT,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    client TEXT NOT NULL,
    has_run INTEGER NOT NULL,
    duration_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX webhook_requests_without_run ON webhook_requests (flow_key, at) WHERE has_run = 0;

  -- What is large: keys are those of a run, or of a request without one, times 2^20 plus a position.
  CREATE TABLE history_parts (
    key INTEGER PRIMARY KEY,
    -- JSON list of steps, the first of which stands at the key's position in its run
    steps TEXT,
    -- The part of the run's state with the key's position: what it needs to go on or to be replayed, unredacted
    sealed BLOB,
    -- Position 0: headers of the request
    headers TEXT
  ) STRICT;

  -- Runs that wait for a worker or have one. A worker of another boot is dead, so its runs are free again.
  CREATE TABLE run_queue (
    run_key INTEGER PRIMARY KEY REFERENCES flow_runs (key) ON DELETE CASCADE,
    flow_key INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('ready', 'parked', 'taken')),
    -- parked: goes on at this time
    wake_at INTEGER,
    -- taken: by which boot and when
    boot_id TEXT,
    taken_at INTEGER
  ) STRICT;
  CREATE INDEX run_queue_by_state ON run_queue (state, run_key);
  CREATE INDEX run_queue_parked ON run_queue (wake_at) WHERE state = 'parked';

  CREATE TABLE paused_requests (
    flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
    count INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT;
`
