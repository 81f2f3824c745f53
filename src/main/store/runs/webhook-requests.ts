import type { Database } from 'better-sqlite3'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import type { WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { PLAIN_JSON, toFlag, toIso, toTime } from '../sql/codec.ts'
import { createDeletedFlowFilter } from './hide-deleted.ts'
import type { HistoryParts } from '../history/history-parts.ts'
import {
  newRequestId,
  requestKey,
  runIdOfRequest,
  runKey,
  webhookRequestId,
  type KeySequence,
} from '../history/ids.ts'
import { createLister, type KeyedList } from '../sql/list.ts'
import type { Columns, KeyedQuery } from '../sql/list-query.ts'
import { command, rows, scalar } from '../sql/statement.ts'

/** The id follows from the run, or is given by the store. */
export type NewWebhookRequest = Omit<WebhookRequest, 'id'>

export interface WebhookRequestRepository {
  /**
   * Stores a request. One that names a stored run belongs to it: a second one takes the place of the first. A run that
   * is not stored is not named.
   */
  insert(request: NewWebhookRequest): WebhookRequest
  /** Newest first. */
  list(query?: KeyedQuery): KeyedList<WebhookRequest>
}

/** For runs: their keys are known. */
export interface RequestRows extends WebhookRequestRepository {
  insertOfRun(
    run: { readonly key: number; readonly id: string; readonly flowKey: number },
    request: NewWebhookRequest,
  ): void
}

interface StoredRun {
  readonly key: number
  readonly id: string
  readonly flow_key: number
}

interface RequestRow {
  readonly key: number
  readonly id: string
  readonly flow_id: string | null
  readonly at: number
  readonly status: number
  readonly reason: string | null
  readonly method: string
  readonly path: string
  readonly size: number
  readonly client: string
  readonly has_run: number
  readonly duration_ms: number
  readonly headers: string | null
}

const COLUMNS: Columns = {
  id: { sql: 'q.key', type: 'text', keyOf: requestKey },
  flow_id: {
    sql: 'q.flow_key',
    type: 'text',
    nullable: true,
    keysWhere: (condition) => `SELECT key FROM flows WHERE id ${condition}`,
  },
  at: { sql: 'q.at', type: 'time' },
  status: { sql: 'q.status', type: 'number' },
  reason: { sql: 'q.reason', type: 'text', nullable: true },
  method: { sql: 'q.method', type: 'text' },
  path: { sql: 'q.path', type: 'text' },
  size: { sql: 'q.size', type: 'number' },
  client: { sql: 'q.client', type: 'text' },
  flow_run_id: { sql: 'iif(q.has_run, q.key, NULL)', type: 'text', nullable: true, keyOf: runKey },
  duration_ms: { sql: 'q.duration_ms', type: 'number' },
  content_type: {
    sql: `json_extract((SELECT headers FROM history_parts WHERE key = q.key << 20), '$."content-type"')`,
    type: 'text',
    nullable: true,
    isSlow: true,
  },
}

const SELECT = `
  SELECT q.key, q.id, (SELECT id FROM flows WHERE key = q.flow_key) AS flow_id, q.at, q.status, q.reason, q.method,
    q.path, q.size, q.client, q.has_run, q.duration_ms,
    (SELECT headers FROM history_parts WHERE key = q.key << 20) AS headers
  FROM webhook_requests q`

export function createWebhookRequestRepository(
  db: Database,
  keys: KeySequence,
  parts: HistoryParts,
): RequestRows {
  const insert = command(
    db,
    `INSERT OR REPLACE INTO webhook_requests (key, id, flow_key, at, status, reason, method, path, size, client, has_run,
       duration_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const flowKey = scalar<number>(db, 'SELECT key FROM flows WHERE id = ?')
  const runByKey = rows<StoredRun>(db, 'SELECT key, id, flow_key FROM flow_runs WHERE key = ?')
  const hideDeleted = createDeletedFlowFilter(db, 'q.flow_key')
  const lister = createLister<RequestRow, WebhookRequest>(db, {
    select: SELECT,
    from: 'FROM webhook_requests q',
    key: 'q.key',
    columns: COLUMNS,
    toRecord: toRequest,
  })

  function store(
    key: number,
    id: string,
    flow: number | null,
    hasRun: boolean,
    request: NewWebhookRequest,
  ): void {
    insert.run(
      key,
      id,
      flow,
      toTime(request.at),
      request.status,
      request.reason,
      request.method,
      request.path,
      request.size,
      request.client,
      toFlag(hasRun),
      request.duration_ms,
    )
  }

  function storedRun(id: string): StoredRun | null {
    const found = runByKey.get(runKey(id) ?? -1)
    return found?.id === id ? found : null
  }

  return {
    insertOfRun({ key, id, flowKey: flow }, request) {
      store(key, webhookRequestId(id), flow, true, request)
    },
    insert(request) {
      const run = request.flow_run_id === null ? null : storedRun(request.flow_run_id)
      if (run !== null) {
        const id = webhookRequestId(run.id)
        store(run.key, id, run.flow_key, true, request)
        parts.putHeaders(run.key, PLAIN_JSON.stringify(request.headers))
        return { ...request, id }
      }
      const key = keys.next()
      const id = newRequestId(key)
      const flow = request.flow_id === null ? null : (flowKey.get(request.flow_id) ?? null)
      store(key, id, flow, false, request)
      parts.insert(key, 0, { steps: null, sealed: null, headers: PLAIN_JSON.stringify(request.headers) })
      return { ...request, id, flow_run_id: null }
    },
    list(query = {}) {
      const { records, nextKey, total } = lister.keyed(query, keyAfter(query.after), hideDeleted())
      return { records, next: nextKey === null ? null : idToGoOn(records.at(-1), nextKey), total }
    },
  }
}

function toRequest({ key: _key, has_run, ...row }: RequestRow): WebhookRequest {
  return {
    ...row,
    at: toIso(row.at),
    headers: row.headers === null ? {} : (PLAIN_JSON.parse(row.headers) as Record<string, string>),
    flow_run_id: has_run === 1 ? runIdOfRequest(row.id) : null,
  }
}

function keyAfter(after: string | null | undefined): number | null {
  if (after === null || after === undefined) return null
  const key = requestKey(after)
  if (key === null) throw fieldErrors({ after: [`is no id of a webhook request: "${after.slice(0, 60)}"`] })
  return key
}

const idToGoOn = (last: WebhookRequest | undefined, key: number) =>
  last !== undefined && requestKey(last.id) === key ? last.id : newRequestId(key)
