/** The common part of all calls of steps, with or without pages: budgets, cancelling, parking and the history. */
import { say, SAID, sentenceOf } from '../../../../../shared/contract/base/message.ts'
import {
  type Data,
  type DataMap,
  dictionaryOf,
  getKey,
  isDictionary,
  isList,
  type StoredMark,
} from '@millrace/jinja/data'
import type { OpenAuth } from '../../../connector/open-auth.ts'
import { createRedactor } from '../../../redaction/redactor.ts'
import {
  type ApiRequest,
  type Checkpoint,
  errorOf,
  paginate,
  type Resume,
} from '../../../pagination/index.ts'
import type { HeaderLine, OutgoingRequest, OutgoingResponse, SendRequest } from '../../../ports.ts'
import { headerValue } from '../../../request/headers.ts'
import { budgetKey } from '../../../request/rate-budget.ts'
import type { RatePolicy } from '../../../request/rate-limit.ts'
import { ParkedWait, sendAttempts, type SendOutcome } from '../../../request/send-with-retry.ts'
import { RecordSpill } from './record-spill.ts'
import { RunHalt } from '../../model/run-halt.ts'
import type { StepScope } from '../../model/compiled-step.ts'

export interface PagedCall {
  readonly request: ApiRequest
  /** The pagination config. Null means a single call, whose body is the result. */
  readonly config: Data
  readonly variables: DataMap
  readonly allowedOrigins: readonly string[]
  readonly maxPages: number | undefined
  readonly whenInDoubt?: 'warn' | 'fail' | undefined
  readonly timeoutMs?: number | undefined
  /** The credentials that the request is sent with. */
  readonly auth: OpenAuth | null
  /** The rate limit that its connector sets. */
  readonly limit?: RatePolicy | null
  /** Unpacks a body before it is read. */
  readonly decode?: (response: OutgoingResponse) => Promise<OutgoingResponse>
}

/**
 * Fetches all pages as one flat list, or the body of a call without pages. A resumed run doesn't fetch a page again
 * whose records were saved.
 *
 * @throws StepError if the list may be incomplete
 */
export async function fetchAll(scope: StepScope, call: PagedCall): Promise<Data> {
  const saved = readSavedPages(scope)
  const list = await RecordSpill.after(scope, saved.records, saved.mark)
  try {
    return await readPages(scope, call, saved, list)
  } catch (error) {
    throw error instanceof ParkedWait ? park(scope, error) : error
  } finally {
    await list.close()
  }
}

async function readPages(
  scope: StepScope,
  call: PagedCall,
  saved: SavedPages,
  list: RecordSpill,
): Promise<Data> {
  const { ports, signal, resumable, pages } = scope
  if (!(await offerSavedPages(scope, saved))) return cutByLoop(scope, list)
  let newRecords: readonly Data[] = []
  let output: Data | undefined
  let page: number | null = null
  let isInFile = list.mark !== null
  const events = paginate({
    action: call.request,
    supportsPagination: call.config !== null,
    config: call.config,
    variables: call.variables,
    allowedOrigins: call.allowedOrigins,
    maxPages: call.maxPages,
    limits: { ...ports.pageLimits?.(), ...(scope.retriesAllowed ? {} : { max_attempts: 1 }) },
    whenInDoubt: call.whenInDoubt ?? ports.whenInDoubt?.(),
    checkpoints: call.config !== null,
    resume: saved.resume,
    firstAttempt: saved.attempt,
    parkAboveMs: resumable ? PARK_ABOVE_MS : null,
    signal,
    ports: {
      sendRequest: decoding(ports.senderFor(call.auth), call.decode),
      clock: ports.clock,
      random: ports.random,
      sleep: (ms, signal) => scope.sleep(ms, signal),
      budget: ports.budgetFor(
        budgetKey(call.request.baseUrl || call.request.endpoint, call.auth),
        call.limit,
      ),
      redactor: NO_REDACTION,
      onExchange: (exchange) => scope.showExchange(exchange, call.config === null ? null : page),
      onSent: () => scope.showWaiting(),
      send: call.timeoutMs === undefined ? {} : { timeoutMs: call.timeoutMs },
    },
  })
  for await (const event of events) {
    switch (event.type) {
      case 'request':
        page = event.page
        break
      case 'retry':
        scope.showRetry(sentenceOf({ message: event.reason, [SAID]: event[SAID] }))
        break
      case 'warning':
        scope.warn(event.code, sentenceOf(event), event.in_doubt)
        break
      case 'records':
        newRecords = event.records
        scope.showRecords(newRecords.length)
        break
      case 'checkpoint':
        await list.add(newRecords)
        scope.saveProgress(
          await pageProgress(list, newRecords, event.checkpoint),
          list.mark !== null && !isInFile ? withoutRecords : undefined,
        )
        isInFile = list.mark !== null
        scope.commitSoon()
        if (pages !== null && !(await pages.offer(newRecords))) return cutByLoop(scope, list)
        newRecords = []
        break
      case 'output':
        output = event.value
        break
      case 'failed':
        throw errorOf(event)
    }
  }
  return output ?? (await list.end())
}

const decoding = (sendRequest: SendRequest, decode: PagedCall['decode']): SendRequest =>
  decode === undefined
    ? sendRequest
    : (request, options) => sendRequest(request, options).then((response) => decode(response))

/** Saved records go to the loop first, except those that it has already processed in this process. */
async function offerSavedPages(
  { pages, ports, runId }: StepScope,
  { records, mark }: SavedPages,
): Promise<boolean> {
  if (pages === null) return true
  const items = mark === null ? records : (ports.recordFiles?.read(runId, mark) ?? [])
  return pages.offer(items, pages.count)
}

/** Ends the list as `max_pages` does, because once the loop is left, the rest of the list isn't wanted. */
function cutByLoop(scope: StepScope, list: RecordSpill): Promise<Data> {
  scope.warn(
    'cut_by_loop',
    say('The loop after it has ended, so no further page was requested; the list may be longer'),
  )
  return list.end().then((records): Data => records)
}

/** Sends one request; the caller decides what the response means. */
export async function sendOnce(
  scope: StepScope,
  request: OutgoingRequest,
  { auth, timeoutMs }: Pick<PagedCall, 'auth' | 'timeoutMs'>,
): Promise<SendOutcome> {
  const { ports, signal, resumable } = scope
  try {
    const attempts = sendAttempts(request, {
      sendRequest: ports.senderFor(auth),
      clock: ports.clock,
      random: ports.random,
      sleep: (ms, signal) => scope.sleep(ms, signal),
      budget: ports.budgetFor(budgetKey(request.url, auth)),
      signal,
      firstAttempt: readSavedPages(scope).attempt,
      policy: {
        parkAboveMs: resumable ? PARK_ABOVE_MS : null,
        ...(scope.retriesAllowed ? {} : { maxAttempts: 1 }),
      },
      onExchange: (exchange) => scope.showExchange(exchange, null),
      ...(timeoutMs === undefined ? {} : { send: { timeoutMs } }),
    })
    for (;;) {
      const { done, value } = await attempts.next()
      if (done) return value
      if (value.type === 'retry') scope.showRetry(value.reason)
    }
  } catch (error) {
    throw error instanceof ParkedWait ? park(scope, error) : error
  }
}

const WRITING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** A writing call identifies its step and iteration, so that a server recognizes a repeat after a crash. */
export function withIdempotencyKey<R extends { method: string; headers: readonly HeaderLine[] }>(
  request: R,
  { runId, iteration }: StepScope,
  ref: string,
): R {
  if (!WRITING.has(request.method.toUpperCase()) || headerValue(request.headers, NAME) !== null)
    return request
  return { ...request, headers: [...request.headers, [NAME, [runId, ref, ...iteration].join('-')]] }
}

const NAME = 'Idempotency-Key'

function park(scope: StepScope, { resumeAt, nextAttempt, [SAID]: said }: ParkedWait): RunHalt {
  scope.showRetry(said)
  scope.saveProgress(dictionaryOf([['attempt', nextAttempt]]))
  return new RunHalt('parked', said, resumeAt)
}

interface SavedPages {
  readonly records: readonly Data[]
  /** Where the records are stored if they aren't included here. */
  readonly mark: StoredMark | null
  readonly resume: Resume | undefined
  readonly attempt: number
}

/**
 * The data of a page that a resumed run needs: its records, or the end of the file that contains them. The response
 * that the next call reads is in the file too, because otherwise the database would contain one for each page.
 */
async function pageProgress(
  list: RecordSpill,
  records: readonly Data[],
  checkpoint: Checkpoint,
): Promise<Data> {
  if (list.mark === null) return progressEntries('records', records, checkpoint)
  const { previousRequest } = checkpoint
  const aside = previousRequest === null ? null : await list.appendAside(previousRequest)
  const stored = dictionaryOf(Object.entries({ ...list.mark, aside }))
  return progressEntries('stored', stored, { ...checkpoint, previousRequest: null })
}

function progressEntries(name: string, value: Data, checkpoint: Checkpoint): Data {
  return dictionaryOf([
    [name, value],
    ['checkpoint', checkpoint],
  ])
}

/** Drops the records, because the file contains them. */
function withoutRecords(part: Data): Data {
  const checkpoint = isDictionary(part) ? getKey(part, 'checkpoint') : undefined
  return checkpoint === undefined ? part : dictionaryOf([['checkpoint', checkpoint]])
}

function readSavedPages({ savedProgress, runId, ports }: StepScope): SavedPages {
  let records: Data[] = []
  let stored: StoredPage | null = null
  const checkpoints: Checkpoint[] = []
  let attempt = 1
  for (const part of savedProgress) {
    if (!isDictionary(part)) continue
    const page = getKey(part, 'records')
    const inFile = getKey(part, 'stored')
    if (isList(page)) for (const record of page) records.push(record)
    if (inFile !== undefined) {
      // The file contains the earlier records as well.
      stored = inFile as StoredPage
      records = []
    }
    const checkpoint = getKey(part, 'checkpoint')
    if (checkpoint !== undefined) checkpoints.push(checkpoint as Checkpoint)
    attempt = Number(getKey(part, 'attempt') ?? 1)
  }
  if (stored === null) return { records, mark: null, resume: resumeOf(checkpoints), attempt }
  const { key, count, bytes, aside } = stored
  const mark = { key, count, bytes }
  const last = checkpoints.at(-1)
  if (aside !== null && last !== undefined) {
    const previousRequest = ports.recordFiles?.readAside(runId, mark, aside) ?? null
    checkpoints[checkpoints.length - 1] = { ...last, previousRequest }
  }
  return { records, mark, resume: resumeOf(checkpoints), attempt }
}

type StoredPage = StoredMark & {
  /** The position of the page's response; null if no template reads it. */
  readonly aside: number | null
}

function resumeOf(checkpoints: readonly Checkpoint[]): Resume | undefined {
  const checkpoint = checkpoints.at(-1)
  if (!checkpoint) return undefined
  return {
    checkpoint,
    fingerprints: checkpoints.flatMap(({ fingerprint }) => (fingerprint === null ? [] : [fingerprint])),
    keys: checkpoints.flatMap(({ keys }) => keys),
  }
}

/** Secrets are redacted when the history is written. */
const NO_REDACTION = createRedactor({ secrets: [] })

/** A longer wait frees the worker. */
const PARK_ABOVE_MS = 60_000
