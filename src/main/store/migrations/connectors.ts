export const CONNECTORS = `
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
    updated_at INTEGER NOT NULL,
    -- Where its secrets may be sent: JSON list of the origins configured when they were entered. Null means stored by an
    -- earlier version, and to be bound when the program starts.
    origins TEXT
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
    updated_at INTEGER NOT NULL,
    -- When the access token of an OAuth auth was issued and when it expires; null if unknown.
    token_issued_at INTEGER,
    token_expires_at INTEGER,
    -- As those of connectors.
    origins TEXT,
    -- Where the auth leads to now and its secrets have not been: it waits for them to be entered again.
    new_origins TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX connector_auths_by_connector ON connector_auths (connector_id);
`

export const CATALOGUE_STATE = `
  CREATE TABLE catalogue_state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    -- Of the files that the built-in connectors were last brought in line with.
    fingerprint TEXT NOT NULL
  ) STRICT;
`

/** The times at which auths were last used and tested. Stored separately, because using an auth doesn't change it. */
export const CONNECTOR_AUTH_USES = `
  CREATE TABLE connector_auth_uses (
    auth_key INTEGER PRIMARY KEY REFERENCES connector_auths (key) ON DELETE CASCADE,
    last_used INTEGER,
    last_tested INTEGER,
    last_test_ok INTEGER CHECK (last_test_ok IN (0, 1))
  ) STRICT;
`

/** The image that was at `image_url` when the connector was saved. */
export const CONNECTOR_IMAGES = `
  CREATE TABLE connector_images (
    connector_id TEXT PRIMARY KEY REFERENCES connectors (id) ON DELETE CASCADE,
    content_type TEXT NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
`
