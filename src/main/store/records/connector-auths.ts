import type { Database } from 'better-sqlite3'
import type { ConnectorAuth } from '../../../shared/contract/connector-auths.ts'
import {
  isSealedAlready,
  openSecrets,
  sealSecrets,
  type SecretBox,
  type Secrets,
} from '../secrets/secret-box.ts'
import { type JsonCodec, PLAIN_JSON } from '../sql/codec.ts'
import type { Columns, Condition, ListQuery } from '../sql/list-query.ts'
import { createLister } from '../sql/list.ts'
import { createRecordMapper, type StoredRow } from '../sql/records.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface NewConnectorAuth {
  readonly ownerId: string
  readonly secrets: Secrets
  readonly references?: References
}

/** References to secrets that are kept elsewhere, by field. */
export type References = Readonly<Record<string, string>>

export interface AuthTokens {
  readonly secrets: Secrets
  readonly issuedAt: number
  readonly expiresAt: number | null
}

export type ConnectorAuthRepository = ReturnType<typeof createConnectorAuthRepository>

interface StoredAuth extends Omit<ConnectorAuth, 'access' | 'secrets' | 'references' | 'new_origins'> {
  readonly visibility: ConnectorAuth['access']['visibility']
  readonly user_ids: readonly string[]
  readonly secret_names: readonly string[]
  readonly secret_references: References
  readonly new_origins: readonly string[]
}

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  connector_id: { sql: 'connector_id', type: 'text' },
  name: { sql: 'name', type: 'text' },
  auth_type: { sql: 'auth_type', type: 'text' },
  auth_details: { sql: 'auth_details', type: 'text' },
  api_endpoint: { sql: 'api_endpoint', type: 'text' },
  username: { sql: 'username', type: 'text' },
  tags: { sql: 'tags', type: 'text', isList: true },
  state: { sql: 'auth_state(id, sealed, state, new_origins)', type: 'text' },
  token_expires_at: { sql: 'token_expires_at', type: 'time', nullable: true },
  created_at: { sql: 'created_at', type: 'time' },
  updated_at: { sql: 'updated_at', type: 'time' },
}

/** An empty list in JSON. */
const NONE = '[]'

/** Maximum number of remembered sealed values that are known to open. */
const MOST_OPENED = 10_000

const SELECT = `
  SELECT key, id, connector_id, name, auth_type, auth_details, api_endpoint, user_input, username, tags, visibility,
    user_ids, secret_names, secret_references, auth_state(id, sealed, state, new_origins) AS state, new_origins, token_expires_at, created_at, updated_at
  FROM connector_auths`

export function createConnectorAuthRepository(db: Database, json: JsonCodec, box: SecretBox) {
  db.function('auth_state', { directOnly: true }, stateOf)
  const records = createRecordMapper<StoredAuth>(
    db,
    {
      user_input: 'json',
      tags: 'labels',
      user_ids: 'labels',
      secret_names: 'labels',
      secret_references: 'labels',
      new_origins: 'labels',
      token_expires_at: 'time',
      created_at: 'time',
      updated_at: 'time',
    },
    json,
  )
  const insert = command(
    db,
    `INSERT INTO connector_auths (id, connector_id, owner_id, name, auth_type, auth_details, api_endpoint, user_input,
       username, tags, visibility, user_ids, secret_names, state, token_expires_at, created_at, updated_at)
     VALUES (@id, @connector_id, @owner_id, @name, @auth_type, @auth_details, @api_endpoint, @user_input,
       @username, @tags, @visibility, @user_ids, '[]', @state, @token_expires_at, @created_at, @updated_at)`,
  )
  const update = command(
    db,
    `UPDATE connector_auths SET connector_id = @connector_id, name = @name, auth_type = @auth_type,
       auth_details = @auth_details, api_endpoint = @api_endpoint, user_input = @user_input, username = @username,
       tags = @tags, visibility = @visibility, user_ids = @user_ids, state = @state, token_expires_at = @token_expires_at, created_at = @created_at,
       updated_at = @updated_at
     WHERE id = @id`,
  )
  const setLifetime = command(
    db,
    `UPDATE connector_auths SET token_issued_at = ?, token_expires_at = ?, state = 'ok' WHERE id = ?`,
  )
  const lifetime = rows<{ issuedAt: number | null; expiresAt: number | null }>(
    db,
    'SELECT token_issued_at AS issuedAt, token_expires_at AS expiresAt FROM connector_auths WHERE id = ?',
  )
  const setState = command(db, 'UPDATE connector_auths SET state = ? WHERE id = ?')
  const origins = scalar<string | null>(db, 'SELECT origins FROM connector_auths WHERE id = ?')
  const setOrigins = command(db, 'UPDATE connector_auths SET origins = ? WHERE id = ?')
  const setNewOrigins = command(db, 'UPDATE connector_auths SET new_origins = ? WHERE id = ?')
  const seal = command(db, 'UPDATE connector_auths SET sealed = ?, secret_names = ? WHERE id = ?')
  const setReferences = command(db, 'UPDATE connector_auths SET secret_references = ? WHERE id = ?')
  const references = scalar<string>(db, 'SELECT secret_references FROM connector_auths WHERE id = ?')
  const setExpiry = command(db, 'UPDATE connector_auths SET token_expires_at = ? WHERE id = ?')
  const sealed = scalar<Buffer | null>(db, 'SELECT sealed FROM connector_auths WHERE id = ?')
  const byId = records.query(`${SELECT} WHERE id = ?`)
  const visibleById = records.query(`${SELECT} WHERE id = ? AND ${VISIBLE}`)
  const owner = scalar<string>(db, 'SELECT owner_id FROM connector_auths WHERE id = ?')
  const ofConnector = scalar<number>(db, 'SELECT count(*) FROM connector_auths WHERE connector_id = ?')
  const remove = command(db, 'DELETE FROM connector_auths WHERE id = ?')
  const lister = createLister<StoredRow, ConnectorAuth>(db, {
    select: SELECT,
    from: 'FROM connector_auths',
    key: 'key',
    columns: COLUMNS,
    toRecord: (row) => toAuth(records.toRecord(row)),
  })

  function toAuth({
    visibility,
    user_ids,
    secret_names,
    secret_references: kept,
    new_origins,
    ...auth
  }: StoredAuth): ConnectorAuth {
    return {
      ...auth,
      access: { visibility, user_ids: [...user_ids] },
      secrets: Object.fromEntries(secret_names.map((name) => [name, true])),
      ...(Object.keys(kept).length > 0 && { references: { ...kept } }),
      ...(new_origins.length > 0 && { new_origins: [...new_origins] }),
    }
  }

  /** Keys are added while Millrace runs but never removed, so a value that opened once opens again. */
  const opened = new Map<string, Buffer>()

  /** Depends on this machine's keys as well as on the record, so a value that didn't open is tried each time. */
  function stateOf(id: string, sealed: Buffer | null, state: string, newOrigins: string): string {
    if (newOrigins !== NONE) return 'needs_reentry'
    if (sealed === null || opened.get(id)?.equals(sealed)) return state
    try {
      openSecrets(box, `connector_auths:${id}`, sealed)
      if (opened.size >= MOST_OPENED) opened.clear()
      opened.set(id, sealed)
      return state
    } catch {
      return 'needs_reentry'
    }
  }

  function toRow({ access, secrets: _secrets, references: _references, ...auth }: ConnectorAuth) {
    const state = auth.state === 'needs_reentry' ? 'ok' : auth.state
    return records.toRow({
      ...auth,
      ...access,
      state,
      secret_names: [],
      secret_references: {},
      new_origins: [],
    })
  }

  /** Unchanged secrets aren't sealed again, because a replaced value is kept as a former secret. */
  function storeSecrets(id: string, secrets: Secrets): void {
    if (isSealedAlready(box, `connector_auths:${id}`, sealed.get(id) ?? null, secrets)) return
    const names = PLAIN_JSON.stringify(Object.keys(secrets))
    seal.run(sealSecrets(box, `connector_auths:${id}`, secrets), names, id)
  }

  return {
    /** `secrets`, `references` and `state` of the record are derived from stored data and ignored here. */
    insert(auth: ConnectorAuth, { ownerId, secrets, references: kept = {} }: NewConnectorAuth): void {
      insert.run({ ...toRow(auth), owner_id: ownerId })
      storeSecrets(auth.id, secrets)
      setReferences.run(PLAIN_JSON.stringify(kept), auth.id)
    },
    /** Replaces the record; absent `secrets` stay unchanged. False if the auth doesn't exist. */
    update(auth: ConnectorAuth, secrets?: Secrets): boolean {
      const isThere = update.run(toRow(auth)) > 0
      if (isThere && secrets !== undefined) storeSecrets(auth.id, secrets)
      return isThere
    },
    setReferences: (id: string, kept: References) => void setReferences.run(PLAIN_JSON.stringify(kept), id),
    /** References to its secrets that are kept elsewhere, by field. */
    referencesOf: (id: string): References => PLAIN_JSON.parse(references.get(id) ?? '{}') as References,
    /** Sets when the secret kept elsewhere expires, in milliseconds; this doesn't count as a change of the auth. */
    setExpiry: (id: string, at: number | null) => void setExpiry.run(at, id),
    ownerOf: (id: string) => owner.get(id) ?? null,
    /**
     * Replaces the tokens of an `oauth2` auth; this doesn't count as a change of the auth. False if the auth no longer
     * exists.
     */
    saveTokens(id: string, { secrets, issuedAt, expiresAt }: AuthTokens): boolean {
      const isThere = setLifetime.run(issuedAt, expiresAt, id) > 0
      if (isThere) storeSecrets(id, secrets)
      return isThere
    },
    /** The times at which the access token was issued and expires, in milliseconds; null if unknown. */
    lifetimeOf(id: string): { readonly issuedAt: number; readonly expiresAt: number } | null {
      const { issuedAt = null, expiresAt = null } = lifetime.get(id) ?? {}
      return issuedAt === null || expiresAt === null ? null : { issuedAt, expiresAt }
    },
    setState: (id: string, state: ConnectorAuth['state']) => void setState.run(state, id),
    /** The origins its secrets may be sent to; null if an earlier version stored them. */
    originsOf(id: string): readonly string[] | null {
      const list = origins.get(id) ?? null
      return list === null ? null : (PLAIN_JSON.parse(list) as string[])
    },
    setOrigins: (id: string, list: readonly string[]) => void setOrigins.run(PLAIN_JSON.stringify(list), id),
    /** Origins that its secrets may not be sent to until they are entered again; empty if there are none. */
    setNewOrigins: (id: string, list: readonly string[]) =>
      void setNewOrigins.run(PLAIN_JSON.stringify(list), id),
    /** Also null if the user `visibleTo` can't see it. */
    get(id: string, visibleTo?: string): ConnectorAuth | null {
      const stored = visibleTo === undefined ? byId.get(id) : visibleById.get(id, ...visibleValues(visibleTo))
      return stored === null ? null : toAuth(stored)
    },
    /** @throws SecretUnreadableError if they can't be decrypted on this machine */
    secretsOf: (id: string) => openSecrets(box, `connector_auths:${id}`, sealed.get(id) ?? null),
    list: (query: ListQuery = {}, visibleTo?: string) =>
      lister.page(query, visibleTo === undefined ? [] : [visibleCondition(visibleTo)]),
    countOfConnector: (connectorId: string) => ofConnector.get(connectorId) ?? 0,
    delete: (id: string) => remove.run(id) > 0,
  }
}

const VISIBLE = `(visibility = 'account' OR owner_id = ? OR (visibility = 'selected' AND
  EXISTS (SELECT 1 FROM json_each(user_ids) WHERE value = ?)))`
const visibleValues = (userId: string) => [userId, userId] as const
const visibleCondition = (userId: string): Condition => ({ sql: VISIBLE, values: visibleValues(userId) })
