export const FLOWS = `
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
    deleted_at INTEGER,
    -- A flow runs with the permissions of its creator.
    owner_id TEXT REFERENCES users (id)
  ) STRICT;
  CREATE INDEX flows_deleted ON flows (key) WHERE deleted_at IS NOT NULL;

  CREATE TABLE flow_versions (
    flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    steps TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- Who wrote the steps: a run can read only what both the author and the flow's owner can. Null means the owner.
    author_id TEXT,
    -- For finding it later; empty for most.
    name TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (flow_key, version)
  ) STRICT;

  CREATE TABLE working_copies (
    flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
    steps TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    author_id TEXT
  ) STRICT;
`

/** Pinned values that replace a step's output in test runs. */
export const STEP_PINS = `
  CREATE TABLE step_pins (
    flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
    ref_id TEXT NOT NULL,
    value TEXT NOT NULL,
    pinned_at INTEGER NOT NULL,
    author_id TEXT,
    -- The run that the value was taken from.
    flow_run_id TEXT,
    -- The value; \`value\` is empty then. One that was pinned before is sealed when the folder is opened.
    sealed BLOB,
    -- The newest key of the history when it was pinned.
    newest_key INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (flow_key, ref_id)
  ) STRICT, WITHOUT ROWID;
`

export const SCHEDULES = `
  -- One row for each flow that runs by itself at its times.
  CREATE TABLE schedules (
    flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
    -- Of the configuration: a change of it begins anew.
    fingerprint TEXT NOT NULL,
    -- Times up to this one are dealt with.
    handled_until INTEGER NOT NULL,
    last_fired_at INTEGER
  ) STRICT;

  -- Times at which a run was accepted, so that none is accepted twice when the clock is set back.
  CREATE TABLE schedule_fires (
    flow_key INTEGER NOT NULL REFERENCES flows (key) ON DELETE CASCADE,
    fire_at INTEGER NOT NULL,
    PRIMARY KEY (flow_key, fire_at)
  ) STRICT, WITHOUT ROWID;
`

export const TRIGGERS = `
  -- One row for each flow whose trigger looks for what is new.
  CREATE TABLE triggers (
    flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
    -- Of what it looks at: a change of it starts over.
    fingerprint TEXT NOT NULL,
    -- The first check has ended.
    is_started INTEGER NOT NULL DEFAULT 0,
    -- How far it has read, as JSON; null at the beginning.
    sealed_state BLOB,
    checked_at INTEGER,
    found_at INTEGER,
    found INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    -- Redacted.
    error TEXT,
    error_at INTEGER,
    -- What the trigger is reading: one of its entries, or '' for all it looks at. Null while it doesn't look.
    reading TEXT
  ) STRICT;

  -- What a trigger has found, as the first half of a SHA-256.
  CREATE TABLE trigger_entries (
    flow_key INTEGER NOT NULL REFERENCES triggers (flow_key) ON DELETE CASCADE,
    id BLOB NOT NULL,
    -- When it was last there, in days since 1970.
    seen_day INTEGER NOT NULL,
    PRIMARY KEY (flow_key, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trigger_entries_by_day ON trigger_entries (flow_key, seen_day);
`

export const TRIGGER_SUSPECTS = `
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
`

/** The alarms that flows have had, and those that have yet to be sent. */
export const ALARMS = `
  CREATE TABLE alarm_states (
    flow_key INTEGER PRIMARY KEY REFERENCES flows (key) ON DELETE CASCADE,
    -- Of the latest event: failed, silent or missed.
    kind TEXT,
    -- Whether what it says still holds.
    is_open INTEGER NOT NULL,
    -- Whether the latest alarm said that something is wrong.
    told_open INTEGER NOT NULL,
    told_at INTEGER,
    -- Events since then.
    held_back INTEGER NOT NULL,
    run_id TEXT,
    message TEXT,
    last_run_at INTEGER,
    -- Milliseconds since the last run in which the program was off.
    off_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE alarms (
    key INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    -- Those that have yet to get it.
    channels TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX alarms_by_time ON alarms (next_at);

  -- When the program was last known to run, for silence that it slept through.
  CREATE TABLE alarm_clock (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    alive_at INTEGER NOT NULL
  ) STRICT;
`
