import type { Database } from 'better-sqlite3'
import type { Action } from '../../../shared/contract/connectors.ts'
import type { JsonCodec } from '../sql/codec.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command } from '../sql/statement.ts'

export type ActionRepository = ReturnType<typeof createActionRepository>

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

export function createActionRepository(db: Database, json: JsonCodec) {
  const records = createRecordMapper<Action>(
    db,
    {
      query: 'json',
      headers: 'json',
      body: 'json',
      ui_form_schema: 'json',
      supports_automatic_pagination: 'flag',
      created_at: 'time',
      updated_at: 'time',
    },
    json,
  )
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
  const byId = records.query(`${SELECT} WHERE id = ?`)
  const byName = records.query(`${SELECT} WHERE connector_id = ? AND name = ?`)
  const byConnector = records.query(`${SELECT} WHERE connector_id = ? ORDER BY key`)
  const remove = command(db, 'DELETE FROM actions WHERE id = ?')
  const lister = records.lister({ select: SELECT, from: 'FROM actions', columns: COLUMNS })

  return {
    /** Throws if the connector already has an action of that name. */
    insert: (action: Action) => void insert.run(records.toRow(action)),
    /** Replaces the record. False if the action doesn't exist. */
    update: (action: Action) => update.run(records.toRow(action)) > 0,
    get: (id: string) => byId.get(id),
    /** The action that a step refers to. */
    find: (connectorId: string, name: string) => byName.get(connectorId, name),
    /** Oldest first. */
    ofConnector: (connectorId: string): readonly Action[] => byConnector.all(connectorId),
    list: (query: ListQuery = {}) => lister.page(query),
    delete: (id: string) => remove.run(id) > 0,
  }
}
