import type { Database } from 'better-sqlite3'
import { DEFAULT_FLOW_SETTINGS, type Flow, type FlowVersion } from '../../../shared/contract/flows.ts'
import type { Forward } from '../../../shared/contract/reach/forwards.ts'
import { toIso, toTime, type JsonCodec } from '../sql/codec.ts'
import { createLister } from '../sql/list.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { createRecordMapper, type StoredRow } from '../sql/records.ts'
import { command, rows, scalar } from '../sql/statement.ts'

/** The editor's unsaved state. */
export interface WorkingCopy {
  readonly steps: readonly unknown[]
  readonly updated_at: string
  /** Note of the token that wrote some of it; null if only people wrote it. */
  readonly written_with: string | null
}

export interface WebhookToken {
  /** SHA-256 in hexadecimal; a caller's token is compared with this hash, which works without a key. */
  readonly hash: string
  /** The token itself, for display; null if it can't be decrypted on this machine. */
  readonly token: string | null
}

export type FlowRepository = ReturnType<typeof createFlowRepository>

interface StoredVersion extends Omit<FlowVersion, 'author'> {
  readonly author_id: string | null
  readonly author_name: string | null
}

/** Flows of a deleted user, paused since then (`users.ts`) and not yet taken over by anybody. */
const INHERITED = `(f.status = 'paused' AND EXISTS (
  SELECT 1 FROM flow_versions w WHERE w.flow_key = f.key AND w.version = f.version AND w.author_id IS NOT NULL
    AND w.author_id NOT IN (SELECT id FROM users)))`

const COLUMNS: Columns = {
  id: { sql: 'f.id', type: 'text' },
  name: { sql: 'f.name', type: 'text' },
  description: { sql: 'f.description', type: 'text' },
  status: { sql: 'f.status', type: 'text' },
  tags: { sql: 'f.tags', type: 'text', isList: true },
  version: { sql: 'f.version', type: 'number' },
  created_at: { sql: 'f.created_at', type: 'time' },
  updated_at: { sql: 'f.updated_at', type: 'time' },
  inherited: { sql: INHERITED, type: 'flag' },
}

const VERSION_COLUMNS: Columns = {
  version: { sql: 'v.version', type: 'number' },
  created_at: { sql: 'v.created_at', type: 'time' },
}

const SELECT = `
  SELECT f.key, f.id, f.name, f.description, f.tags, f.status, f.settings, f.version, f.created_at, f.updated_at,
    v.steps, ${INHERITED} AS inherited
  FROM flows f JOIN flow_versions v ON v.flow_key = f.key AND v.version = f.version`

const SELECT_VERSION = `
  SELECT v.version AS key, f.id AS flow_id, v.version, v.name, v.steps, v.created_at, u.id AS author_id,
    u.name AS author_name
  FROM flows f JOIN flow_versions v ON v.flow_key = f.key
    LEFT JOIN users u ON u.id = coalesce(v.author_id, f.owner_id)`

const LIVING = { sql: 'f.deleted_at IS NULL', values: [] } as const

/** IDs as Millrace generates them: lowercase UUIDs. */
const IDS = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g

export function createFlowRepository(db: Database, json: JsonCodec, box: SecretBox) {
  const records = createRecordMapper<Flow>(
    db,
    {
      tags: 'labels',
      settings: 'labels',
      steps: 'json',
      inherited: 'flag',
      created_at: 'time',
      updated_at: 'time',
    },
    json,
  )
  const versions = createRecordMapper<StoredVersion>(db, { steps: 'json', created_at: 'time' }, json)
  const insert = command(
    db,
    `INSERT INTO flows (id, name, description, tags, status, settings, concurrency, version, created_at, updated_at,
       owner_id)
     VALUES (@id, @name, @description, @tags, @status, @settings, @concurrency, @version, @created_at, @updated_at,
       coalesce(@owner_id, (SELECT id FROM users ORDER BY key LIMIT 1)))`,
  )
  /** The rows of a deleted flow are removed in batches, and creating the flow again must not wait for that. */
  const releaseId = command(
    db,
    `UPDATE flows SET id = 'deleted-' || key || '-' || id WHERE id = ? AND deleted_at IS NOT NULL`,
  )
  const update = command(
    db,
    `UPDATE flows SET name = @name, description = @description, tags = @tags, status = @status, settings = @settings,
       concurrency = @concurrency, version = @version, created_at = @created_at, updated_at = @updated_at
     WHERE id = @id AND deleted_at IS NULL`,
  )
  const addVersion = command(
    db,
    `INSERT INTO flow_versions (flow_key, version, steps, created_at, author_id)
     SELECT key, ?, ?, ?, ? FROM flows WHERE id = ?
     ON CONFLICT (flow_key, version) DO NOTHING`,
  )
  const byId = records.query(`${SELECT} WHERE f.id = ? AND f.deleted_at IS NULL`)
  const naming = rows<Pick<Flow, 'id' | 'name'>>(
    db,
    `SELECT f.id, f.name
     FROM flows f JOIN flow_versions v ON v.flow_key = f.key AND v.version = f.version
     WHERE f.deleted_at IS NULL AND instr(v.steps, ?) > 0 ORDER BY f.key`,
  )
  const newestSteps = rows<Pick<Flow, 'id' | 'name'> & { readonly steps: string }>(
    db,
    `SELECT f.id, f.name, v.steps
     FROM flows f JOIN flow_versions v ON v.flow_key = f.key AND v.version = f.version
     WHERE f.deleted_at IS NULL ORDER BY f.key`,
  )
  const byWebhookToken = rows<Pick<Flow, 'id' | 'name'>>(
    db,
    'SELECT id, name FROM flows WHERE webhook_token_hash = ? AND deleted_at IS NULL',
  )
  const lister = createLister<StoredRow, Flow>(db, {
    select: SELECT,
    from: 'FROM flows f',
    key: 'f.key',
    columns: COLUMNS,
    toRecord: (row) => toFlow(records.toRecord(row)),
  })

  const versionByNumber = versions.query(
    `${SELECT_VERSION} WHERE f.id = ? AND v.version = ? AND f.deleted_at IS NULL`,
  )
  const versionLister = createLister<StoredRow, FlowVersion>(db, {
    select: SELECT_VERSION,
    from: 'FROM flows f JOIN flow_versions v ON v.flow_key = f.key',
    key: 'v.version',
    columns: VERSION_COLUMNS,
    toRecord: (row) => toVersion(versions.toRecord(row)),
  })

  const nameVersion = command(
    db,
    `UPDATE flow_versions SET name = ? WHERE version = ?
       AND flow_key = (SELECT key FROM flows WHERE id = ? AND deleted_at IS NULL)`,
  )

  const workingCopy = rows<{ steps: string; updated_at: number; written_with: string | null }>(
    db,
    'SELECT w.steps, w.updated_at, w.written_with FROM working_copies w JOIN flows f ON f.key = w.flow_key WHERE f.id = ?',
  )
  const saveWorkingCopy = command(
    db,
    `INSERT INTO working_copies (flow_key, steps, updated_at, author_id, written_with) SELECT key, ?, ?, ?, ? FROM flows WHERE id = ?
     ON CONFLICT (flow_key) DO UPDATE SET steps = excluded.steps, updated_at = excluded.updated_at,
       author_id = excluded.author_id, written_with = coalesce(excluded.written_with, written_with)`,
  )

  const forward = scalar<string>(
    db,
    'SELECT w.forward FROM flow_forwards w JOIN flows f ON f.key = w.flow_key WHERE f.id = ?',
  )
  const saveForward = command(
    db,
    `INSERT INTO flow_forwards (flow_key, forward) SELECT key, ? FROM flows WHERE id = ? AND deleted_at IS NULL
     ON CONFLICT (flow_key) DO UPDATE SET forward = excluded.forward`,
  )
  const forgetForward = command(
    db,
    'DELETE FROM flow_forwards WHERE flow_key = (SELECT key FROM flows WHERE id = ?)',
  )

  const author = scalar<string | null>(
    db,
    `SELECT v.author_id FROM flow_versions v JOIN flows f ON f.key = v.flow_key WHERE f.id = ? AND v.version = ?`,
  )
  const copyAuthor = scalar<string | null>(
    db,
    'SELECT w.author_id FROM working_copies w JOIN flows f ON f.key = w.flow_key WHERE f.id = ?',
  )
  const owner = scalar<string>(db, 'SELECT owner_id FROM flows WHERE id = ?')
  const token = rows<{ hash: string | null; sealed: Buffer | null }>(
    db,
    'SELECT webhook_token_hash AS hash, webhook_token_sealed AS sealed FROM flows WHERE id = ? AND deleted_at IS NULL',
  )
  const tokens = rows<{ id: string; sealed: Buffer }>(
    db,
    'SELECT id, webhook_token_sealed AS sealed FROM flows WHERE deleted_at IS NULL AND webhook_token_sealed IS NOT NULL',
  )
  /** Tokens by flow, with the sealed value they were decrypted from. */
  let opened = new Map<string, { readonly sealed: Buffer; readonly token: string }>()
  const setToken = command(
    db,
    'UPDATE flows SET webhook_token_hash = ?, webhook_token_sealed = ? WHERE id = ?',
  )

  const removal = {
    mark: command(
      db,
      `UPDATE flows SET deleted_at = ?, webhook_token_hash = NULL, webhook_token_sealed = NULL
       WHERE id = ? AND deleted_at IS NULL`,
    ),
    parts: [
      command(db, 'DELETE FROM flow_versions WHERE flow_key = (SELECT key FROM flows WHERE id = ?)'),
      command(db, 'DELETE FROM working_copies WHERE flow_key = (SELECT key FROM flows WHERE id = ?)'),
      command(db, 'DELETE FROM step_pins WHERE flow_key = (SELECT key FROM flows WHERE id = ?)'),
      command(db, 'DELETE FROM flow_forwards WHERE flow_key = (SELECT key FROM flows WHERE id = ?)'),
      command(db, 'DELETE FROM run_queue WHERE flow_key = (SELECT key FROM flows WHERE id = ?)'),
      command(db, 'DELETE FROM paused_requests WHERE flow_key = (SELECT key FROM flows WHERE id = ?)'),
    ],
  }
  const forgetWorkingCopy = command(
    db,
    'DELETE FROM working_copies WHERE flow_key = (SELECT key FROM flows WHERE id = ?)',
  )
  const isLiving = scalar<number>(db, 'SELECT 1 FROM flows WHERE id = ? AND deleted_at IS NULL')

  function toFlow({ inherited, ...flow }: Flow): Flow {
    // A flow stored by an older version doesn't have all settings.
    const settings = { ...DEFAULT_FLOW_SETTINGS, ...flow.settings }
    return { ...flow, settings, ...(inherited && { inherited }) }
  }

  function toVersion({ author_id: id, author_name: name, ...version }: StoredVersion): FlowVersion {
    return { ...version, author: id === null || name === null ? null : { id, name } }
  }

  const toRow = (flow: Flow) => ({ ...records.toRow(flow), concurrency: flow.settings.concurrency })

  const storeVersion = ({ id, version, steps, updated_at }: Flow, authorId?: string) =>
    addVersion.run(version, json.stringify(steps), toTime(updated_at), authorId ?? null, id)

  return {
    /** @param ownerId the user whose permissions it runs with; defaults to the local user */
    insert(flow: Flow, ownerId?: string): void {
      releaseId.run(flow.id)
      insert.run({ ...toRow(flow), owner_id: ownerId ?? null })
      storeVersion(flow)
    },
    /**
     * Replaces the record. Its steps are stored only if `version` is new. False if the flow doesn't exist.
     *
     * @param authorId who wrote the steps; defaults to the owner
     */
    update(flow: Flow, authorId?: string): boolean {
      const isThere = update.run(toRow(flow)) > 0
      if (isThere) storeVersion(flow, authorId)
      return isThere
    },
    /** The user whose permissions it runs with; null if the flow doesn't exist. */
    ownerOf: (id: string) => owner.get(id) ?? null,
    /** The user who wrote the steps of a version; null if it was the owner. */
    authorOf: (id: string, version: number) => author.get(id, version) ?? null,
    get(id: string): Flow | null {
      const flow = byId.get(id)
      return flow === null ? null : toFlow(flow)
    },
    list: (query: ListQuery = {}) => lister.page(query, [LIVING]),
    /** Deletes the flow at once; its runs and requests are deleted in batches (retention.ts). */
    delete(id: string, at: string): boolean {
      if (removal.mark.run(toTime(at), id) === 0) return false
      for (const part of removal.parts) part.run(id)
      return true
    },
    /** Flows whose newest steps refer to this id of a connector, an auth or another flow. */
    naming: (id: string): readonly Pick<Flow, 'id' | 'name'>[] => naming.all(id),
    /** The same for all ids that flows refer to, in one pass over the steps. */
    namedIds(): ReadonlyMap<string, readonly Pick<Flow, 'id' | 'name'>[]> {
      const flows = new Map<string, Pick<Flow, 'id' | 'name'>[]>()
      for (const { id, name, steps } of newestSteps.each()) {
        for (const named of new Set(steps.match(IDS))) {
          const known = flows.get(named)
          if (known) known.push({ id, name })
          else flows.set(named, [{ id, name }])
        }
      }
      return flows
    },
    /** The flow whose webhook token has this hash. */
    findByWebhookToken: (hash: string) => byWebhookToken.get(hash) ?? null,

    /** Newest first. */
    versions: (flowId: string, query: ListQuery = {}) =>
      versionLister.page(query, [LIVING, { sql: 'f.id = ?', values: [flowId] }]),
    version(flowId: string, version: number): FlowVersion | null {
      const stored = versionByNumber.get(flowId, version)
      return stored === null ? null : toVersion(stored)
    },

    nameVersion: (flowId: string, version: number, name: string) =>
      void nameVersion.run(name, version, flowId),

    workingCopy(flowId: string): WorkingCopy | null {
      const row = workingCopy.get(flowId)
      if (row === undefined) return null
      const { steps, updated_at: at, written_with } = row
      return { steps: json.parse(steps) as unknown[], updated_at: toIso(at), written_with }
    },
    authorOfWorkingCopy: (flowId: string) => copyAuthor.get(flowId) ?? null,
    /** Null deletes it. The note of a token that wrote some of it is kept until then. */
    saveWorkingCopy(
      flowId: string,
      copy: Omit<WorkingCopy, 'written_with'> | null,
      authorId?: string,
      writtenWith: string | null = null,
    ): void {
      if (copy === null) forgetWorkingCopy.run(flowId)
      else if (isLiving.get(flowId)) {
        const at = toTime(copy.updated_at)
        saveWorkingCopy.run(json.stringify(copy.steps), at, authorId ?? null, writtenWith, flowId)
      }
    },

    /** The settings with which its webhook forwards requests to a local program; null if it doesn't. */
    forwardOf(flowId: string): Forward | null {
      const text = forward.get(flowId)
      return text === undefined ? null : (JSON.parse(text) as Forward)
    },
    /** Null deletes it. */
    saveForward(flowId: string, settings: Forward | null): void {
      if (settings === null) forgetForward.run(flowId)
      else saveForward.run(JSON.stringify(settings), flowId)
    },

    /**
     * The tokens of all flows that can be decrypted here. Cached, so that repeated calls are cheap, however many tokens
     * there are.
     */
    webhookTokens(): readonly string[] {
      const now: typeof opened = new Map()
      for (const { id, sealed } of tokens.all()) {
        const known = opened.get(id)
        const token = known?.sealed.equals(sealed) ? known.token : openToken(box, id, sealed)
        if (token !== null) now.set(id, { sealed, token })
      }
      opened = now
      return [...now.values()].map(({ token }) => token)
    },
    /** Null if the flow never had one. */
    webhookToken(flowId: string): WebhookToken | null {
      const row = token.get(flowId)
      if (row === undefined || row.hash === null) return null
      return { hash: row.hash, token: openToken(box, flowId, row.sealed) }
    },
    /** Stores a token. While the secret box is locked, only its hash is kept and the token can't be shown later. */
    setWebhookToken(flowId: string, secret: { readonly hash: string; readonly token: string }): void {
      const sealed = box.locked ? null : box.seal(`flows:${flowId}`, secret.token)
      setToken.run(secret.hash, sealed, flowId)
    },
  }
}

function openToken(box: SecretBox, flowId: string, sealed: Buffer | null): string | null {
  if (sealed === null) return null
  try {
    return box.open(`flows:${flowId}`, sealed)
  } catch {
    return null
  }
}
