export const USERS = `
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
    created_at INTEGER NOT NULL,
    -- The token that created it, which limits its lifetime: revoking that one revokes this one too.
    created_by TEXT
  ) STRICT;
  CREATE INDEX tokens_by_creator ON tokens (created_by) WHERE created_by IS NOT NULL;
`

export const TEAMS = `
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
`

/** Hashes of tokens that are no longer valid, so that a value that somebody found can be identified. */
export const FORMER_TOKENS = `
  CREATE TABLE former_tokens (
    hash TEXT PRIMARY KEY,
    token_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    last_four TEXT NOT NULL,
    note TEXT NOT NULL,
    scopes TEXT NOT NULL,
    expiration INTEGER,
    last_used INTEGER,
    created_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    ended_by TEXT NOT NULL CHECK (ended_by IN ('revoked', 'regenerated'))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX former_tokens_by_end ON former_tokens (ended_at);
`

export const PAGE_SESSIONS = `
  -- Browsers that signed in from elsewhere. A session ends with the value of its token.
  CREATE TABLE page_sessions (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- SHA-256 of the cookie's value
    hash TEXT NOT NULL UNIQUE,
    -- SHA-256 of the token it was signed in with
    token_hash TEXT NOT NULL,
    client TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
`
