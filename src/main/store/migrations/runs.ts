/**
 * The tables that grow. Rows of runs and requests are narrow, so that scanning 100,000 of them stays cheap; large
 * values are in `history_parts`. No index is in random order (see ids.ts), and a successful run is in one index only.
 */
export const HISTORY = `
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
    warnings TEXT,
    -- Caused by a caller without credentials: when the history is too large, these are deleted before all others.
    from_anyone INTEGER NOT NULL DEFAULT 0 CHECK (from_anyone IN (0, 1))
  ) STRICT;
  CREATE INDEX flow_runs_by_flow ON flow_runs (flow_key);
  CREATE INDEX flow_runs_not_successful ON flow_runs (status) WHERE status <> 'success';
  CREATE INDEX flow_runs_from_anyone ON flow_runs (from_anyone) WHERE from_anyone = 1;

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
    headers TEXT,
    -- Zstandard of a long list of steps that have all ended; "steps" is null then.
    packed BLOB
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
    taken_at INTEGER,
    -- How often the program has died during the run since it was last parked or released.
    deaths INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- Read flow by flow, so that each flow gets its share.
  CREATE INDEX run_queue_by_flow ON run_queue (state, flow_key, run_key);
  CREATE INDEX run_queue_parked ON run_queue (wake_at) WHERE state = 'parked';

  CREATE TABLE paused_requests (
    flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
    count INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT;
`

/**
 * Full-text search over the history. The index holds words and the keys of their runs, but not the text itself
 * (`content=''`); it gets folded words separated by spaces, so the simplest tokenizer is enough.
 */
export const RUN_SEARCH = `
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
`

export const SEEN_DELIVERIES = `
  -- Webhook requests that a sender may repeat: what it was answered the first time.
  CREATE TABLE seen_deliveries (
    key INTEGER PRIMARY KEY,
    flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
    -- SHA-256 of the sender's id
    hash BLOB NOT NULL,
    at INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    UNIQUE (flow_key, hash)
  ) STRICT;
`

/** Bodies of webhook requests that were read and then rejected, for debugging their senders. */
export const REJECTED_BODIES = `
  CREATE TABLE rejected_bodies (
    request_key INTEGER PRIMARY KEY REFERENCES webhook_requests (key) ON DELETE CASCADE,
    -- Bytes of "sealed": read without it
    size INTEGER NOT NULL,
    sealed BLOB NOT NULL
  ) STRICT;
`

export const QUESTIONS = `
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
`

/**
 * Replaced or deleted secrets, still sealed. Stored runs can contain them, so they must stay known for redaction.
 * Triggers store them, so that no statement that overwrites or deletes a secret can forget to. A migration that
 * recreates one of these tables must recreate its triggers.
 */
export const FORMER_SECRETS = `
  CREATE TABLE former_secrets (
    key INTEGER PRIMARY KEY,
    -- What it belonged to, which is needed to open it: connector_auths:<id>
    owner TEXT NOT NULL,
    -- The newest key of the history that may hold it; null until somebody looks.
    newest_key INTEGER,
    sealed BLOB NOT NULL
  ) STRICT;
  CREATE INDEX former_secrets_by_newest_key ON former_secrets (newest_key);
  ${keepFormer('env_variables', 'sealed')}
  ${keepFormer('connectors', 'sealed')}
  ${keepFormer('connector_auths', 'sealed')}
  ${keepFormer('flows', 'webhook_token_sealed')}
`

function keepFormer(table: string, column: string): string {
  const keep = `INSERT INTO former_secrets (owner, sealed) VALUES ('${table}:' || OLD.id, OLD.${column});`
  return `CREATE TRIGGER ${table}_secret_replaced AFTER UPDATE OF ${column} ON ${table}
      WHEN OLD.${column} IS NOT NULL AND OLD.${column} IS NOT NEW.${column} BEGIN ${keep} END;
    CREATE TRIGGER ${table}_secret_deleted AFTER DELETE ON ${table}
      WHEN OLD.${column} IS NOT NULL BEGIN ${keep} END;`
}
