import type { Database } from 'better-sqlite3'
import type { Action } from '../../../shared/contract/connectors.ts'
import { toFlag, toIso, toTime, type JsonCodec } from '../sql/codec.ts'
import { createLister, type Listed } from '../sql/list.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { command, rows } from '../sql/statement.ts'

export interface ActionRepository {
  /** Throws if the connector already has an action of that name. */
  insert(action: Action): void
  /** Replaces the record. False if the action doesn't exist. */
  update(action: Action): boolean
  get(id: string): Action | null
  /** The action that a step refers to. */
  find(connectorId: string, name: string): Action | null
  /** Oldest first. */
  ofConnector(connectorId: string): readonly Action[]
  list(query?: ListQuery): Listed<Action>
  delete(id: string): boolean
}

interface ActionRow {
  readonly key: number
  readonly id: string
  readonly connector_id: string
  readonly name: string
  readonly title: string
  readonly status: Action['status']
  readonly method: Action['method']
  readonly endpoint: string
  readonly query: string
  readonly headers: string
  readonly body: string
  readonly ui_form_schema: string
  readonly supports_automatic_pagination: number
  readonly short_description: string
  readonly tag: string
  readonly external_docs: string
  readonly created_at: number
  readonly updated_at: number
}

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  connector_id: { sql: 'connector_id', type: 'text' },
  name: { sql: 'name', type: 'text' },
  title: { sql: 'title', type: 'text' },
  status: { sql: 'status', type: 'text' },
  method: { sql: 'method', type: 'text' },
  endpoint: { sql: 'endpoint', type: 'text' },
  supports_automatic_pagination: { sql: 'supports_automatic_pagination', type: 'flag' },
  short_description: { sql: 'short_description', type: 'text' },
  tag: { sql: 'tag', type: 'text' },
  external_docs: { sql: 'external_docs', type: 'text' },
  created_at: { sql: 'created_at', type: 'time' },
  updated_at: { sql: 'updated_at', type: 'time' },
}

const SELECT = `
  SELECT key, id, connector_id, name, title, status, method, endpoint, query, headers, body, ui_form_schema,
    supports_automatic_pagination, short_description, tag, external_docs, created_at, updated_at
  FROM actions`

export function createActionRepository(db: Database, json: JsonCodec): ActionRepository {
  const insert = command(
    db,
    `INSERT INTO actions (id, connector_id, name, title, status, method, endpoint, query, headers, body,
       ui_form_schema, supports_automatic_pagination, short_description, tag, external_docs, created_at, updated_at)
     VALUES (@id, @connector_id, @name, @title, @status, @method, @endpoint, @query, @headers, @body,
       @ui_form_schema, @supports_automatic_pagination, @short_description, @tag, @external_docs, @created_at,
       @updated_at)`,
  )
  const update = command(
    db,
    `UPDATE actions SET connector_id = @connector_id, name = @name, title = @title, status = @status,
       method = @method, endpoint = @endpoint, query = @query, headers = @headers, body = @body,
       ui_form_schema = @ui_form_schema, supports_automatic_pagination = @supports_automatic_pagination,
       short_description = @short_description, tag = @tag, external_docs = @external_docs,
       created_at = @created_at, updated_at = @updated_at
     WHERE id = @id`,
  )
  const byId = rows<ActionRow>(db, `${SELECT} WHERE id = ?`)
  const byName = rows<ActionRow>(db, `${SELECT} WHERE connector_id = ? AND name = ?`)
  const byConnector = rows<ActionRow>(db, `${SELECT} WHERE connector_id = ? ORDER BY key`)
  const remove = command(db, 'DELETE FROM actions WHERE id = ?')
  const lister = createLister<ActionRow, Action>(db, {
    select: SELECT,
    from: 'FROM actions',
    key: 'key',
    columns: COLUMNS,
    toRecord: toAction,
  })

  function toAction({ key: _key, ...row }: ActionRow): Action {
    return {
      ...row,
      query: json.parse(row.query) as Action['query'],
      headers: json.parse(row.headers) as Action['headers'],
      body: json.parse(row.body) as Action['body'],
      ui_form_schema: json.parse(row.ui_form_schema) as Action['ui_form_schema'],
      supports_automatic_pagination: row.supports_automatic_pagination === 1,
      created_at: toIso(row.created_at),
      updated_at: toIso(row.updated_at),
    }
  }

  function toRow(action: Action): Omit<ActionRow, 'key'> {
    return {
      id: action.id,
      connector_id: action.connector_id,
      name: action.name,
      title: action.title,
      status: action.status,
      method: action.method,
      endpoint: action.endpoint,
      query: json.stringify(action.query),
      headers: json.stringify(action.headers),
      body: json.stringify(action.body),
      ui_form_schema: json.stringify(action.ui_form_schema),
      supports_automatic_pagination: toFlag(action.supports_automatic_pagination),
      short_description: action.short_description,
      tag: action.tag,
      external_docs: action.external_docs,
      created_at: toTime(action.created_at),
      updated_at: toTime(action.updated_at),
    }
  }

  const actionOrNull = (row: ActionRow | undefined) => (row === undefined ? null : toAction(row))
  return {
    insert: (action) => void insert.run({ ...toRow(action) }),
    update: (action) => update.run({ ...toRow(action) }) > 0,
    get: (id) => actionOrNull(byId.get(id)),
    find: (connectorId, name) => actionOrNull(byName.get(connectorId, name)),
    ofConnector: (connectorId) => byConnector.all(connectorId).map(toAction),
    list: (query = {}) => lister.page(query),
    delete: (id) => remove.run(id) > 0,
  }
}
