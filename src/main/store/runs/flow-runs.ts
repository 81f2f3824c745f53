import { withoutSaid, withSaid, say } from '../../../shared/contract/base/message.ts'
import type { Filter } from '../../../shared/contract/base/common.ts'
import type { Database } from 'better-sqlite3'
import { fieldErrors } from '../../../shared/contract/base/errors.ts'
import {
  END_STATUSES,
  type FlowRun,
  HTTP_TRIGGERS,
  type RunMatch,
  type RunStatus,
  type RunTrigger,
} from '../../../shared/contract/flow-runs.ts'
import {
  listOrNull,
  PLAIN_JSON,
  toFlag,
  toTime,
  toTimeOrNull,
  valueOrNull,
  type JsonCodec,
} from '../sql/codec.ts'
import type { CarryOver } from './former-secrets.ts'
import { createDeletedFlowFilter } from './hide-deleted.ts'
import type { EndSteps } from '../history/end-steps.ts'
import type { HistoryParts } from '../history/history-parts.ts'
import { keysOfRun, newRunId, runKey, type KeySequence } from '../history/ids.ts'
import { createLister, type KeyedList, type TallyPart, type TallyQuery } from '../sql/list.ts'
import type { Columns, KeyedQuery } from '../sql/list-query.ts'
import { parseSearch } from '../search/query.ts'
import type { RunSearch } from '../search/run-search.ts'
import type { StateFormat } from '../history/state-format.ts'
import { createRecordMapper, type StoredRow } from '../sql/records.ts'
import { command, isRecording, rows, scalar, type SqlValue } from '../sql/statement.ts'
import { type NewStep, StepChunks, writeStep, type WrittenSteps } from '../history/step-format.ts'
import type { NewWebhookRequest, RequestRows } from './webhook-requests.ts'

export type FoundRun = FlowRun & { readonly matches: readonly RunMatch[] }

/** Data stored together with a new run. */
export interface NewRunParts {
  /** Steps in the order they started; iterated once. */
  readonly steps?: Iterable<NewStep>
  /** The data to resume or replay the run; sealed. */
  readonly state?: readonly string[]
  /** The request that started it. */
  readonly request?: NewWebhookRequest | undefined
}

export type FlowRunRepository = ReturnType<typeof createFlowRunRepository>

export interface EndedRun {
  readonly flow_id: string
  readonly status: 'success' | 'error'
  readonly created_at: number
}

export interface FailedRun {
  readonly id: string
  readonly flow_id: string
  readonly ref_id: string | null
  readonly code: string
  /** Status of the HTTP response that made the step fail; null for other errors. */
  readonly status: number | null
}

/** Number of runs read at once, which takes a few milliseconds. */
const RUNS_PER_PORTION = 5_000
/** Fewer, because their errors are read too. */
const FAILURES_PER_PORTION = 2_000

interface StoredRun extends Omit<
  FlowRun,
  'warnings' | 'trigger_ref' | 'parked_until' | 'asks' | 'stopped' | 'resolved'
> {
  readonly trigger_ref: string | null
  readonly warnings: FlowRun['warnings'] | null
  readonly parked_until: string | null
  readonly asks: boolean
  readonly stopped: boolean
  readonly resolved_at: string | null
  readonly resolved_note: string | null
}

const IS_OPEN = 'answered_at IS NULL AND closed_at IS NULL'
const ASKS = `(r.finished_at IS NULL AND EXISTS (SELECT 1 FROM questions WHERE run_key = r.key AND ${IS_OPEN}))`

const STOPPED = `(r.finished_at IS NULL AND EXISTS (SELECT 1 FROM run_stops WHERE run_key = r.key AND sealed_decision IS NULL))`

/** The resolution of the latest failure: a run that was resumed and has failed again is unresolved. */
const RESOLVED = `FROM run_resolutions WHERE run_key = r.key AND r.status = 'error' AND at >= r.finished_at`

const COLUMNS: Columns = {
  id: { sql: 'r.key', type: 'text', keyOf: runKey },
  flow_id: {
    sql: 'r.flow_key',
    type: 'text',
    indexed: true,
    keysWhere: (condition) => `SELECT key FROM flows WHERE id ${condition}`,
  },
  flow_version: { sql: 'r.flow_version', type: 'number' },
  title: { sql: 'r.title', type: 'text' },
  trigger: { sql: 'r.trigger', type: 'text' },
  trigger_ref: { sql: 'r.trigger_ref', type: 'text', nullable: true },
  status: {
    sql: 'r.status',
    type: 'text',
    indexedUnless: { value: 'success', sql: `r.status <> 'success'` },
  },
  created_at: { sql: 'r.created_at', type: 'time' },
  started_at: { sql: 'r.started_at', type: 'time', nullable: true },
  finished_at: { sql: 'r.finished_at', type: 'time', nullable: true },
  duration_ms: { sql: 'r.duration_ms', type: 'number', nullable: true },
  attempt: { sql: 'r.attempt', type: 'number' },
  asks: {
    sql: ASKS,
    type: 'flag',
    indexedUnless: { value: 'false', sql: `r.key IN (SELECT run_key FROM questions WHERE ${IS_OPEN})` },
  },
  stopped: { sql: STOPPED, type: 'flag' },
  resolved: { sql: `EXISTS (SELECT 1 ${RESOLVED})`, type: 'flag' },
  parent_run_id: { sql: 'r.parent_run_id', type: 'text', nullable: true },
  error_ref_id: { sql: `json_extract(r.error, '$.ref_id')`, type: 'text', nullable: true },
  error_code: { sql: `json_extract(r.error, '$.code')`, type: 'text', nullable: true },
  error_status: { sql: `json_extract(r.error, '$.data.status')`, type: 'number', nullable: true },
}

const SELECT = `
  SELECT r.key, r.id, (SELECT id FROM flows WHERE key = r.flow_key) AS flow_id, r.flow_version, r.title, r.trigger,
    r.trigger_ref, r.status, r.created_at, r.started_at, r.finished_at, r.duration_ms, r.attempt, r.parent_run_id, r.error, r.warnings,
    (SELECT wake_at FROM run_queue WHERE run_key = r.key AND state = 'parked') AS parked_until,
    ${ASKS} AS asks, ${STOPPED} AS stopped, (SELECT at ${RESOLVED}) AS resolved_at,
    (SELECT note ${RESOLVED}) AS resolved_note
  FROM flow_runs r`

interface FailedRow extends FailedRun {
  readonly key: number
}

const INSERTED =
  'key, id, flow_version, title, trigger, trigger_ref, status, created_at, started_at, finished_at, duration_ms, attempt, parent_run_id, error, warnings'
const INSERTED_VALUES = INSERTED.replaceAll(/\w+/g, '?')

const FAILED = { field: 'status', operator: 'eq', value: 'error' } as const
const ENDED: ReadonlySet<RunStatus> = new Set(END_STATUSES)

export interface FlowRunRepositoryParts {
  readonly json: JsonCodec
  readonly states: StateFormat
  readonly keys: KeySequence
  readonly parts: HistoryParts
  readonly requests: RequestRows
  readonly search: RunSearch
  readonly endSteps: EndSteps
  readonly carryOver: CarryOver
}

export function createFlowRunRepository(
  db: Database,
  { json, states, keys, parts, requests, search, endSteps, carryOver }: FlowRunRepositoryParts,
) {
  /** Anyone can start a flow without a token, unless its webhook checks signatures. */
  const isOpen = `CASE WHEN json_extract(settings, '$.webhook_token_enabled') THEN 0 ELSE
         NOT EXISTS (SELECT 1 FROM flow_versions v, json_each(v.steps) s
           WHERE v.flow_key = flows.key AND v.version = ? AND s.value ->> '$.type' = 'webhook'
             AND s.value ->> '$.config.signature' IS NOT NULL) END`
  const flowOf = rows<{ key: number; is_open: number }>(
    db,
    `SELECT key, ${isOpen} AS is_open FROM flows WHERE id = ? AND deleted_at IS NULL`,
  )
  const isFromAnyone = scalar<number>(db, 'SELECT from_anyone FROM flow_runs WHERE key = ?')
  const records = createRecordMapper<StoredRun>(
    db,
    {
      created_at: 'time',
      started_at: 'time',
      finished_at: 'time',
      error: 'json',
      warnings: 'labels',
      parked_until: 'time',
      asks: 'flag',
      stopped: 'flag',
      resolved_at: 'time',
    },
    json,
  )
  const insert = command(
    db,
    `INSERT INTO flow_runs (${INSERTED}, flow_key, from_anyone) VALUES (${INSERTED_VALUES}, ?, ?)`,
  )
  /** The same insert without reading first; fails if the flow doesn't exist. */
  const insertUnread = command(
    db,
    `INSERT INTO flow_runs (${INSERTED}, flow_key, from_anyone)
     VALUES (${INSERTED_VALUES}, (SELECT key FROM flows WHERE id = ? AND deleted_at IS NULL),
       iif(?, (SELECT ${isOpen} FROM flows WHERE id = ?), 0))`,
  )
  const update = command(
    db,
    `UPDATE flow_runs SET flow_version = ?, title = ?, status = ?, started_at = ?, finished_at = ?, duration_ms = ?,
       attempt = ?, error = ?, warnings = ?
     WHERE key = ? AND id = ?`,
  )
  const enqueue = command(
    db,
    `INSERT INTO run_queue (run_key, flow_key, state) SELECT key, flow_key, 'ready' FROM flow_runs WHERE key = ?`,
  )
  const resolve = command(
    db,
    `INSERT INTO run_resolutions (run_key, at, note) VALUES (?, ?, ?)
     ON CONFLICT (run_key) DO UPDATE SET at = excluded.at, note = excluded.note`,
  )
  const reopen = command(db, 'DELETE FROM run_resolutions WHERE run_key = ?')
  const dequeue = command(db, 'DELETE FROM run_queue WHERE run_key = ?')
  const byKey = records.query(
    `${SELECT} WHERE r.key = ? AND r.id = ? AND (SELECT deleted_at FROM flows WHERE key = r.flow_key) IS NULL`,
  )
  const newestBefore = rows<{
    key: number
    flow_id: string | null
    status: RunStatus
    trigger: RunTrigger
    created_at: number
  }>(
    db,
    `SELECT key, (SELECT id FROM flows WHERE key = flow_key AND deleted_at IS NULL) AS flow_id, status, trigger, created_at
     FROM flow_runs WHERE key < ? ORDER BY key DESC LIMIT ${RUNS_PER_PORTION}`,
  )
  const failedBefore = createLister<FailedRow, FailedRow>(db, {
    select: `
      SELECT r.key, r.id, (SELECT id FROM flows WHERE key = r.flow_key) AS flow_id,
        json_extract(r.error, '$.ref_id') AS ref_id, coalesce(json_extract(r.error, '$.code'), '') AS code,
        json_extract(r.error, '$.data.status') AS status
      FROM flow_runs r`,
    from: 'FROM flow_runs r',
    key: 'r.key',
    columns: COLUMNS,
    toRecord: (row) => row,
  })
  const forget = {
    allParts: command(db, 'DELETE FROM history_parts WHERE key BETWEEN ? AND ?'),
    request: command(db, 'DELETE FROM webhook_requests WHERE key = ?'),
    parts: command(db, 'DELETE FROM history_parts WHERE key BETWEEN ? AND ? AND headers IS NULL'),
    allButHeaders: command(
      db,
      'UPDATE history_parts SET steps = NULL, packed = NULL, sealed = NULL WHERE key = ?',
    ),
    runOfRequest: command(db, 'UPDATE webhook_requests SET has_run = 0 WHERE key = ?'),
    run: command(db, 'DELETE FROM flow_runs WHERE key = ?'),
  }
  const hideDeleted = createDeletedFlowFilter(db, 'r.flow_key')
  const lister = createLister<StoredRow, FlowRun>(db, {
    select: SELECT,
    from: 'FROM flow_runs r',
    key: 'r.key',
    columns: COLUMNS,
    toRecord: (row) => toRun(records.toRecord(row)),
    tallied: { at: 'r.created_at', status: 'r.status' },
  })

  function toRun(stored: StoredRun): FlowRun {
    const {
      error,
      warnings,
      trigger_ref,
      parked_until,
      asks,
      stopped,
      resolved_at: at,
      resolved_note: note,
      ...run
    } = stored
    return {
      ...run,
      error: error && withoutSaid(error),
      warnings: (warnings ?? []).map(withoutSaid),
      ...(trigger_ref !== null && { trigger_ref }),
      ...(parked_until !== null && { parked_until }),
      ...(asks && { asks }),
      ...(stopped && { stopped }),
      ...(at !== null && { resolved: { at, note: note ?? '' } }),
    }
  }

  /** 1 if a caller without credentials caused the run: retention deletes such runs before all others. */
  function causedByAnyone(trigger: RunTrigger, isOpen: number, parent: number | null): number {
    if (trigger === 'mail') return 1
    if (HTTP_TRIGGERS.includes(trigger)) return isOpen
    return trigger === 'flow' && parent !== null ? (isFromAnyone.get(parent) ?? 0) : 0
  }

  /** Stores a run and returns its key. */
  function store(run: FlowRun, added: NewRunParts): number {
    const key = runKey(run.id)
    if (key === null || !keys.isOwn(key))
      throw new Error(`The id ${run.id} was not made by newId of this store`)
    const columns = [
      key,
      run.id,
      run.flow_version,
      run.title,
      run.trigger,
      run.trigger_ref ?? null,
      run.status,
      toTime(run.created_at),
      toTimeOrNull(run.started_at),
      toTimeOrNull(run.finished_at),
      run.duration_ms,
      run.attempt,
      run.parent_run_id,
      valueOrNull(withSaid(run.error), json),
      listOrNull(withSaid(run.warnings), PLAIN_JSON),
    ]
    const flow = isRecording() ? insertBlindly(run, columns) : insertFound(run, key, columns)
    if (added.request !== undefined) requests.insertOfRun({ key, id: run.id, flowKey: flow }, added.request)
    storeParts(key, run.id, added)
    return key
  }

  function insertFound(run: FlowRun, key: number, columns: readonly SqlValue[]): number {
    const found = flowOf.get(run.flow_version, run.flow_id)
    if (found === undefined) throw new Error(`There is no flow ${run.flow_id} to store a run of`)
    const parent = run.parent_run_id === null ? null : runKey(run.parent_run_id)
    insert.run(...columns, found.key, causedByAnyone(run.trigger, found.is_open, parent))
    if (parent !== null) carryOver(parent, key)
    return found.key
  }

  function insertBlindly(run: FlowRun, columns: readonly SqlValue[]): null {
    if (!onlyAdds(run)) throw new Error('What the parent of a run has must be read')
    const isByHttp = HTTP_TRIGGERS.includes(run.trigger)
    insertUnread.run(...columns, run.flow_id, toFlag(isByHttp), run.flow_version, run.flow_id)
    return null
  }

  const onlyAdds = ({ parent_run_id: parent, trigger }: FlowRun) => parent === null && trigger !== 'mail'

  const among = (picked: readonly number[], filters: readonly Filter[]) =>
    lister
      .page({ filters }, [
        ...hideDeleted(),
        { sql: 'r.key IN (SELECT value FROM json_each(?))', values: [JSON.stringify(picked)] },
      ])
      .records.map((run) => ({ runId: run.id, record: run }))

  /** A short run has a single row: its steps, the first part of its state and its request's headers. */
  function storeParts(key: number, id: string, { steps = [], state = [], request }: NewRunParts): void {
    const sealed = state.map((text) => states.seal(id, text))
    const headers = request === undefined ? null : PLAIN_JSON.stringify(request.headers)
    const insertFirst = (written: WrittenSteps | null) =>
      parts.insert(key, 0, { steps: written, sealed: sealed[0] ?? null, headers })
    let hasFirst = false
    const chunks = new StepChunks(0, (position, written) => {
      if (position === 0) insertFirst(written)
      else parts.putSteps(key, position, written)
      hasFirst = true
    })
    for (const step of steps) chunks.add(writeStep(step, json))
    chunks.end()
    if (!hasFirst && (sealed.length > 0 || headers !== null)) insertFirst(null)
    for (const [index, rest] of sealed.slice(1).entries()) parts.putSealed(key, index + 1, rest)
  }

  return {
    /** An id for a run that is about to start; the ids of its steps and its request derive from it (ids.ts). */
    newId: () => newRunId(keys.next()),
    /** Whether storing this new run reads nothing, so that it can be appended. */
    onlyAdds,
    /**
     * Stores a run and everything that belongs to it. Called at its end if it has no outside effects, otherwise at its
     * start.
     */
    insert: (run: FlowRun, added: NewRunParts = {}) => void store(run, added),
    /** Stores an accepted run, which then waits for a worker. */
    enqueue(run: FlowRun, added: NewRunParts = {}): void {
      enqueue.run(store(run, added))
    },
    /**
     * Replaces the record. A run that has ended leaves the queue, and its steps still in flight end with it, so store the
     * final state of the steps first. False if the run doesn't exist.
     */
    save(run: FlowRun): boolean {
      const key = runKey(run.id) ?? -1
      const changed = update.run(
        run.flow_version,
        run.title,
        run.status,
        toTimeOrNull(run.started_at),
        toTimeOrNull(run.finished_at),
        run.duration_ms,
        run.attempt,
        valueOrNull(withSaid(run.error), json),
        listOrNull(withSaid(run.warnings), PLAIN_JSON),
        key,
        run.id,
      )
      if (changed > 0 && ENDED.has(run.status)) {
        dequeue.run(key)
        // Recorded work has no steps in flight.
        if (!isRecording()) endSteps(key, run.error, run.finished_at)
      }
      if (run.status === 'queued') search.putOff(key)
      return changed > 0
    },
    /** Marks a failed run as resolved. */
    resolve: (id: string, { note, at }: { readonly note: string; readonly at: number }): void =>
      void resolve.run(runKey(id) ?? -1, at, note),
    reopen: (id: string): void => void reopen.run(runKey(id) ?? -1),
    get(id: string): FlowRun | null {
      const row = byKey.get(runKey(id) ?? -1, id.toLowerCase())
      return row === null ? null : toRun(row)
    },
    /** Newest first. */
    list(query: KeyedQuery = {}): KeyedList<FlowRun> {
      const { records, nextKey, total } = lister.keyed(query, keyAfter(query.after), hideDeleted())
      return { records, next: nextKey === null ? null : idToGoOn(records.at(-1), nextKey), total }
    },
    /** Counts runs that match the filters, a part of the history at a time. */
    tally: (query: TallyQuery, belowKey: number | null): TallyPart =>
      lister.tally(query, belowKey, hideDeleted()),
    /**
     * Runs created since then that succeeded or failed, in batches so that a busy day doesn't block everybody, newest
     * first. `next` continues after the previous batch; null at the end.
     */
    endedSince(
      since: number,
      before: number | null,
    ): { readonly runs: readonly EndedRun[]; readonly next: number | null } {
      const newest = newestBefore.all(before ?? Number.MAX_SAFE_INTEGER)
      const runs = newest.flatMap(({ flow_id: flowId, status, trigger, created_at: at }) =>
        flowId !== null && trigger !== 'test' && (status === 'success' || status === 'error') && at >= since
          ? [{ flow_id: flowId, status, created_at: at }]
          : [],
      )
      const oldest = newest.at(-1)
      const isLast = oldest === undefined || newest.length < RUNS_PER_PORTION || oldest.created_at < since
      return { runs, next: isLast ? null : oldest.key }
    },
    /** Failed runs that match the filters, in batches like `endedSince`. */
    failures(
      filters: readonly Filter[],
      before: number | null,
    ): { readonly runs: readonly FailedRun[]; readonly next: number | null } {
      const query = { filters: [...filters, FAILED], perPage: FAILURES_PER_PORTION }
      const { records, nextKey } = failedBefore.keyed(query, before, hideDeleted())
      return {
        runs: records.map(({ key: _key, status, ...run }) => ({
          ...run,
          status: Number.isInteger(status) ? status : null,
        })),
        next: nextKey,
      }
    },
    /**
     * Runs that contain a string, with the places where it occurs. Newest first; a page can be short or empty and still
     * have a next one.
     *
     * @throws AppError `validation` if the string can't be searched for
     */
    search(text: string, { filters, after, perPage }: KeyedQuery = {}): KeyedList<FoundRun> {
      const options = { before: keyAfter(after), filters, perPage, among }
      const found = search.find(parseSearch(text), options)
      const records = found.records.map(({ record, matches }) => ({ ...record, matches }))
      const { nextKey } = found
      return { records, next: nextKey === null ? null : idToGoOn(records.at(-1), nextKey), total: null }
    },
    /** Deletes a run together with the request that started it, for flows that keep no history. */
    deleteWhole(id: string): boolean {
      const key = runKey(id) ?? -1
      if (byKey.get(key, id.toLowerCase()) === null) return false
      const [first, last] = keysOfRun(key)
      forget.allParts.run(first, last)
      forget.request.run(key)
      search.remove(key)
      forget.run.run(key)
      return true
    },
    /** Deletes a run with its steps and state; the request that started it stays in the request list. */
    delete(id: string): boolean {
      const key = runKey(id) ?? -1
      if (byKey.get(key, id.toLowerCase()) === null) return false
      const [first, last] = keysOfRun(key)
      forget.parts.run(first, last)
      forget.allButHeaders.run(first)
      forget.runOfRequest.run(key)
      search.remove(key)
      forget.run.run(key)
      return true
    },
  }
}

function keyAfter(after: string | null | undefined): number | null {
  if (after === null || after === undefined) return null
  const key = runKey(after)
  if (key === null)
    throw fieldErrors({
      after: [say('must be the ID of a flow run, got "{{after}}"', { after: after.slice(0, 60) })],
    })
  return key
}

const idToGoOn = (last: FlowRun | undefined, key: number) =>
  last !== undefined && runKey(last.id) === key ? last.id : newRunId(key)
