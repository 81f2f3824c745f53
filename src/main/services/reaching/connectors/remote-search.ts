/** Choices for a form field, read from the API itself: from one of the connector's lists, or by its `search_config`. */
import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { RemoteSearchBody, SearchChoice } from '../../../../shared/contract/connectors.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { can } from '../../../../shared/contract/base/route.ts'
import { type PageEvent, paginate } from '../../../engine/pagination/index.ts'
import { valueText } from '../../../engine/request/query-string.ts'
import type { Store } from '../../../store/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { UserCall, UserCalls } from '../auths/user-calls.ts'
import type { Authorization } from '../../keeping/access/authorization.ts'
import { choiceOf, type FoundRecord, isFound, recordIn, recordsIn } from './lookup-records.ts'
import { type LookupSource, lookupSourceOf } from './lookup-sources.ts'

export interface RemoteSearchOptions {
  readonly store: Pick<Store, 'connectors' | 'actions'>
  readonly userCalls: Pick<UserCalls, 'open'>
  readonly authorization: Pick<Authorization, 'authorize'>
}

export function createRemoteSearchService({ store, userCalls, authorization }: RemoteSearchOptions) {
  const readers = createReaders()

  return {
    /**
     * @throws AppError `not_found`, `validation` for an invalid look-up or a missing value it depends on, `conflict` if
     *   the API rejects the credentials, `unavailable` if it fails
     */
    async search(caller: Caller, connectorId: string, body: RemoteSearchBody): Promise<SearchChoice[]> {
      const connector = store.connectors.get(connectorId)
      if (connector === null) {
        throw new AppError(
          'not_found',
          say('There is no connector "{{id}}"', { id: connectorId.slice(0, 60) }),
        )
      }
      if (body.lookup !== undefined || body.search_config !== undefined)
        authorization.authorize(can('connectors', 'create'), caller)
      const call = await userCalls.open(caller, connector, body.auth_id)
      const source = lookupSourceOf({
        connector,
        call,
        body,
        findAction: (name) => store.actions.find(connector.id, name),
      })
      const reader = readers.get(keyOf(caller, body, source), () => new RecordReader(source, call))
      const timeout = AbortSignal.timeout(TIMEOUT_MS)
      const stop = () => reader.stop(timeout.reason)
      timeout.addEventListener('abort', stop)
      try {
        if (body.values !== undefined) return await storedChoices(body.values, reader, source, call)
        return await choicesIn(reader, body, call)
      } finally {
        timeout.removeEventListener('abort', stop)
        if (reader.isFailed) readers.drop(reader)
      }
    },
  }
}

const TIMEOUT_MS = 30_000
const MAX_CHOICES = 200
/** To check a stored value, at most this many pages of a long list are read. */
const PAGES_TO_CHECK = 3
const MOST_READERS = 8
const KEPT_MS = 60_000

/**
 * Lists that a user is choosing from stay open for a minute, so that further choices continue where the last ones
 * ended.
 */
function createReaders() {
  const open = new Map<string, RecordReader>()
  function drop(key: string): void {
    open.get(key)?.stop()
    open.delete(key)
  }
  return {
    get(key: string, create: () => RecordReader): RecordReader {
      const known = open.get(key)
      if (known !== undefined && !known.isFailed) return known
      const [oldest] = open.keys()
      if (oldest !== undefined && open.size >= MOST_READERS) drop(oldest)
      const reader = create()
      open.set(key, reader)
      const timer = setTimeout(() => {
        if (open.get(key) === reader) drop(key)
      }, KEPT_MS)
      timer.unref()
      return reader
    },
    drop(reader: RecordReader): void {
      for (const [key, one] of open) if (one === reader) open.delete(key)
    },
  }
}

function keyOf(
  { userId, scopes, kind }: Caller,
  { auth_id: authId }: RemoteSearchBody,
  { key }: LookupSource,
): string {
  return JSON.stringify([kind, userId, scopes, authId ?? null, key])
}

/** The records of a list, read only as far as needed. */
class RecordReader {
  readonly records: FoundRecord[] = []
  isDone = false
  isFailed = false
  readonly #source: LookupSource
  readonly #events: AsyncGenerator<PageEvent>
  readonly #stopped = new AbortController()
  #pending: Promise<boolean> | null = null
  #config = 0

  constructor(source: LookupSource, { ports }: UserCall) {
    this.#source = source
    this.#events = paginate({
      ...source.list,
      limits: { max_attempts: 2, max_wait_ms: 5_000 },
      signal: this.#stopped.signal,
      ports: { ...ports, send: { timeoutMs: TIMEOUT_MS } },
    })
  }

  /** Reads another page; false at the end. */
  async more(): Promise<boolean> {
    this.#pending ??= this.#readPage().finally(() => {
      this.#pending = null
    })
    return this.#pending
  }

  stop(reason?: unknown): void {
    if (!this.isDone) this.#stopped.abort(reason)
  }

  async #readPage(): Promise<boolean> {
    while (!this.isDone) {
      const { value: event, done } = await this.#events.next()
      if (done === true) this.isDone = true
      else if (event.type === 'failed') {
        this.isDone = true
        this.isFailed = true
        throw failureOf(event)
      } else if (event.type === 'request' && event.config_index !== null) this.#config = event.config_index
      else if (event.type === 'records') return this.#add(event.records)
      else if (event.type === 'output')
        return this.#add(recordsIn(event.value, this.#source.responseJsonPath))
    }
    return false
  }

  #add(records: readonly FoundRecord['record'][]): true {
    const entry = this.#source.entries[this.#config] ?? this.#source.entries[0]
    if (entry !== undefined) for (const record of records) this.records.push({ record, entry })
    return true
  }
}

async function choicesIn(
  reader: RecordReader,
  { q, after = 0, limit = MAX_CHOICES }: RemoteSearchBody,
  { redactor }: UserCall,
): Promise<SearchChoice[]> {
  const choices: SearchChoice[] = []
  const seen = new Set<string>()
  for (let at = 0; choices.length < limit; at++) {
    while (at >= reader.records.length && (await reader.more()));
    const found = reader.records[at]
    if (found === undefined) break
    const choice = choiceOf(redactor.redactData(found.record), found.entry)
    if (choice === null || !isFound(choice, found.entry, q) || seen.has(valueText(choice.value))) continue
    seen.add(valueText(choice.value))
    if (seen.size > after) choices.push(choice)
  }
  return choices
}

/** Choices for those stored values that still exist. */
async function storedChoices(
  values: readonly (string | number)[],
  reader: RecordReader,
  source: LookupSource,
  call: UserCall,
): Promise<SearchChoice[]> {
  const unchecked = (value: string | number): SearchChoice => ({ value, label: String(value), record: null })
  if (source.readOne !== null) {
    const found = await Promise.all(values.map((value) => readStored(value, source, call)))
    return found.filter((choice) => choice !== null)
  }
  const byValue = new Map<string, SearchChoice>()
  const isMissing = (value: string | number) => !byValue.has(String(value))
  let at = 0
  for (let page = 0; page < PAGES_TO_CHECK && values.some(isMissing); page++) {
    if (at >= reader.records.length && !(await reader.more())) break
    for (; at < reader.records.length; at++) {
      const found = reader.records[at]
      const choice = found && choiceOf(call.redactor.redactData(found.record), found.entry)
      if (choice) byValue.set(valueText(choice.value), choice)
    }
  }
  // The end of a list is only known once another page has been requested after the last record.
  const isWhole = reader.isDone && source.entries.every(({ type }) => type === 'list')
  return values.flatMap((value) => byValue.get(String(value)) ?? (isWhole ? [] : [unchecked(value)]))
}

async function readStored(
  value: string | number,
  { readOne, entries: [entry] }: LookupSource,
  { ports, redactor }: UserCall,
): Promise<SearchChoice | null> {
  if (readOne === null || entry === undefined) return null
  const events = paginate({
    ...readOne(value),
    limits: { max_attempts: 2, max_wait_ms: 5_000 },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ports: { ...ports, send: { timeoutMs: TIMEOUT_MS } },
  })
  for await (const event of events) {
    if (event.type === 'failed') {
      if (event.error.status === 404 || event.error.status === 410) return null
      throw failureOf(event)
    }
    if (event.type !== 'output') continue
    const choice = recordIn(redactor.redactData(event.value), entry)
    return { value, label: choice?.label ?? String(value), record: choice?.record ?? null }
  }
  return null
}

const OF_THE_API = new Set(['http_error', 'rate_limited', 'timeout', 'cancelled', 'response_too_large'])

function failureOf({ error }: Extract<PageEvent, { type: 'failed' }>): AppError {
  const rest = sentenceOf(error)
  if (error.status === 401 || error.status === 403) {
    const said =
      error.status === 401
        ? say('The API rejected the credentials (401). Change the connector auth, or choose another one')
        : say(
            "The connector auth isn't allowed to list these records (403). Give it the permission, choose another one, or enter the ID",
          )
    return new AppError('conflict', said, { data: { auth_id: [`was answered with ${error.status}`] } })
  }
  if (!OF_THE_API.has(error.code))
    return new AppError('validation', say("The search can't be run: {{rest}}", { rest }))
  return new AppError('unavailable', say('The search failed: {{rest}}', { rest }), {
    headers: { 'Retry-After': '5' },
  })
}
