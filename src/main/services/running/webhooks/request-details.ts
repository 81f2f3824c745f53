/**
 * Details of a webhook request that aren't in its row in the list, from the data kept by its run or by the rejection.
 */
import type { z } from 'zod'
import {
  englishOf,
  say,
  type Said,
  SAID,
  sentenceOf,
  type Spoken,
} from '../../../../shared/contract/base/message.ts'
import { isUtf8 } from 'node:buffer'
import { MOST_RAW_BYTES, queryOf, shownHeaders } from './webhook-call.ts'
import { AppError, ERROR_STATUS, type ErrorCode } from '../../../../shared/contract/base/errors.ts'
import { type FlowRun, HAND_TRIGGERS } from '../../../../shared/contract/flow-runs.ts'
import type { Json } from '../../../../shared/contract/base/common.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import type { WebhookAttempt } from '../../../../shared/contract/reach/forwards.ts'
import type { Settings } from '../../../../shared/contract/settings.ts'
import type {
  InputKey,
  ListedRequest,
  listWebhookRequestsRoute,
  ReceivedBody,
  WebhookAnswer,
  WebhookRequest,
  WebhookRequestDetail,
} from '../../../../shared/contract/webhooks.ts'
import { hideParameters, type Redactor } from '../../../engine/redaction/redactor.ts'
import { type Dictionary, entriesOf, getKey, isDictionary, keysOf, writeJson } from '@millrace/jinja/data'
import type { Clock } from '../../../engine/ports.ts'
import { compileFlow, waitsForEnd } from '../../../engine/flow/definition/compile-flow.ts'
import { decodeContent } from '../../../engine/webhook/content-encoding.ts'
import { headersByName } from '../../../engine/webhook/forwarded.ts'
import {
  parseWebhookInput,
  type WebhookInput,
  type WebhookPayload,
} from '../../../engine/webhook/parse-input.ts'
import {
  excerptOf,
  mayContain,
  type OriginalRequest,
  type Store,
  type StoredAttempt,
} from '../../../store/index.ts'
import { parseKeyedListQuery } from '../../kit/list-query.ts'
import { filledPage, type KeyedPage } from '../../kit/pages.ts'
import type { KnownSecrets } from '../../keeping/secrets/known-secrets.ts'
import { type KeptAnswer, readAnswer, readStart, type RunStart } from '../execution/resume-log.ts'
import type { RunnableFlows } from '../execution/runnable-flows.ts'
import { asEdited } from './forwarding.ts'
import { type KeptHold, readKeptHold } from './holds.ts'
import { ACCEPTED } from './replies.ts'
import { createTryCondition, type TryConditionOptions } from './try-condition.ts'
import { limitedAddress } from '../../kit/limited-address.ts'

export type WebhookDetailsService = ReturnType<typeof createWebhookDetails>

export interface WebhookDetailsOptions {
  readonly store: Pick<Store, 'webhookRequests' | 'webhookAttempts' | 'flowRuns' | 'runStates' | 'rateLimits'>
  readonly runnable: Pick<RunnableFlows, 'version'>
  readonly secrets: KnownSecrets
  readonly settings: () => Settings
  readonly clock: Clock
}

export function createWebhookDetails(options: WebhookDetailsOptions & TryConditionOptions) {
  const { store, runnable, secrets, settings, clock } = options

  function partsOf(run: FlowRun | null): readonly string[] {
    if (run === null) return []
    try {
      return store.runStates.of(run.id)
    } catch {
      return [] // sealed with a key that isn't available now
    }
  }

  const runOf = ({ flow_run_id: id }: WebhookRequest) => (id === null ? null : store.flowRuns.get(id))

  /** @throws AppError `not_found` */
  function find(id: string): WebhookRequest {
    const filters = [{ field: 'id', operator: 'eq', value: id }] as const
    const request = store.webhookRequests.list({ filters, perPage: 1 }).records.find((one) => one.id === id)
    if (request !== undefined) return request
    throw new AppError(
      'not_found',
      say('There is no webhook request {{id}} in the history', { id: id.slice(0, 60) }),
    )
  }

  function heldOf({ id, hold }: WebhookRequest): KeptHold {
    try {
      return hold === null ? {} : readKeptHold(store.webhookRequests.heldOf(id))
    } catch {
      return {} // sealed with a key that isn't available now
    }
  }

  async function receivedOf(request: WebhookRequest, parts: readonly string[]): Promise<ReceivedBody | null> {
    const start = readStart(parts)
    if (start !== null) return receivedByRun(request, start, secrets.redactor())
    const body =
      request.reason === null
        ? null
        : (rejectedBodyOf(request) ?? store.webhookAttempts.originalOf(request.id)?.body ?? null)
    const maxBytes = settings().webhook_body_limit_bytes
    return body && receivedInVain(request, body, { maxBytes, redactor: secrets.redactor() })
  }

  function rejectedBodyOf({ id }: WebhookRequest): Buffer | null {
    try {
      return store.webhookRequests.rejectedBodyOf(id)
    } catch {
      return null // sealed with a key that isn't available now
    }
  }

  function smallBodyOf(request: WebhookRequest): RawBody | null {
    if (request.flow_run_id === null) {
      const bytes = request.reason === null ? null : rejectedBodyOf(request)
      return bytes && { bytes, isText: isUtf8(bytes), truncated: false }
    }
    try {
      const start = readStart(store.runStates.smallOf(request.flow_run_id))
      return start && rawBodyOf(start)
    } catch {
      return null // sealed with a key that isn't available now
    }
  }

  /** The body if it is text that can be read quickly. */
  function smallTextOf(request: WebhookRequest): string | null {
    const body = request.size === 0 ? null : smallBodyOf(request)
    if (body === null || !body.isText) return null
    return hideParameters(secrets.redactor().redactText(body.bytes.toString()))
  }

  /** Finds the words of a search in bodies that are too large to be read for each row, both as sent and as parsed. */
  function searchLarge(search: string) {
    const excerpts = new Map<string, Excerpt>()
    const isInLarge: SearchedBodies['isInLarge'] = (request, words) => {
      const state = firstStateOf(request)
      const characters = state?.length ?? 0
      const start = state !== null && mayContain(state, words) ? readStart([state]) : null
      const raw = start && rawBodyOf(start)
      if (start === null || raw === null || !raw.isText) return { isFound: false, characters }
      const redactor = secrets.redactor()
      const shown = () => hideParameters(redactor.redactText(raw.bytes.toString()))
      const excerpt =
        excerptOf([shown()], search) ?? excerptOf([writeJson(redactor.redactData(start.input))], search)
      if (excerpt !== null) excerpts.set(request.id, excerpt)
      return { isFound: excerpt !== null, characters }
    }
    return { isInLarge, excerpts }
  }

  function firstStateOf({ flow_run_id: runId }: WebhookRequest): string | null {
    try {
      return runId === null ? null : store.runStates.firstOf(runId)
    } catch {
      return null // sealed with a key that isn't available now
    }
  }

  /** The beginning of the body. Cut after secrets are replaced, so that no part of one is left at the end. */
  function previewOf(
    request: WebhookRequest,
    search: string,
    excerpts: ReadonlyMap<string, Excerpt>,
  ): Pick<ListedRequest, 'preview' | 'match'> {
    const text = smallTextOf(request)
    const preview = text?.replaceAll(/\s+/g, ' ').trim().slice(0, PREVIEW_LENGTH) || null
    if (search === '') return { preview }
    const match =
      excerpts.get(request.id) ?? excerptOf([text ?? '', request.path, request.reason ?? ''], search)
    return { preview, match: match && { snippet: match.snippet, marks: match.marks.map(([a, b]) => [a, b]) } }
  }

  function answerOf(
    request: WebhookRequest,
    run: FlowRun | null,
    kept: KeptAnswer | null,
  ): WebhookAnswer | null {
    if (request.outcome === 'filtered' || request.outcome === 'handshake') return null
    if (request.reason !== null)
      return refusalOf(request, sentenceOf({ message: request.reason, [SAID]: request[SAID] }))
    if (request.status === 408) return envelope('timeout', LATE, { flow_run_id: request.flow_run_id })
    if (kept !== null) return shownAnswer(kept, secrets.redactor())
    if (run === null) return null
    if (request.status === 500 && run.status === 'error') return failureOf(run)
    const flow = runnable.version(run.flow_id, run.flow_version)
    return flow?.compiled.trigger?.config.async === true ? { ...ACCEPTED, truncated: false } : null
  }

  /** Whether the run is a test or replay of a flow whose callers wait for its end. */
  function wouldBeAnswered(
    { flow_id, flow_version, trigger, trigger_ref }: FlowRun,
    start: RunStart | null,
  ): boolean {
    if (!HAND_TRIGGERS.includes(trigger) || start?.isPart) return false
    const flow = runnable.version(flow_id, flow_version)
    if (flow === null || start === null) return false
    const { steps } = start
    const ran = steps === undefined ? flow.compiled : compileFlow({ steps, settings: flow.settings })
    return waitsForEnd(ran, trigger_ref)
  }

  function rateLimitOf(client: string): WebhookRequestDetail['rate_limit'] {
    const { webhook_rate_limit_requests: limit, webhook_rate_limit_seconds: seconds } = settings()
    if (limit === null) return null
    const window = store.rateLimits.peek(limitedAddress(client), {
      now: clock.now(),
      windowMs: seconds * 1_000,
    })
    return window && { used: window.count, limit, resets_at: new Date(window.windowEndsAt).toISOString() }
  }

  return {
    find,
    /** The response that its caller got, unless it came from a local program; null if it isn't known. */
    answerOf(request: WebhookRequest): WebhookAnswer | null {
      const run = runOf(request)
      const { answer } = heldOf(request)
      return answer
        ? shownAnswer(answer, secrets.redactor())
        : answerOf(request, run, readAnswer(partsOf(run)))
    },
    /** The request as it arrived, or rebuilt from stored data; null if not all of it was kept. */
    asSent(
      request: WebhookRequest,
    ): { readonly original: OriginalRequest; readonly isExact: boolean } | null {
      const original = store.webhookAttempts.originalOf(request.id)
      if (original !== null) return { original, isExact: true }
      const start = readStart(partsOf(runOf(request)))
      const rebuilt =
        start === null ? rebuiltRejected(request, rejectedBodyOf(request)) : rebuiltOfRun(request, start)
      return rebuilt && { original: rebuilt, isExact: false }
    },
    /** @throws AppError `not_found` */
    async read(id: string): Promise<WebhookRequestDetail> {
      const request = find(id)
      const run = runOf(request)
      const parts = partsOf(run)
      const held = heldOf(request)
      const attempts = store.webhookAttempts
        .ofRequest(id)
        .map((attempt) => shownAttempt(attempt, secrets.redactor()))
      return {
        request,
        received: await receivedOf(request, parts),
        answer: held.answer
          ? shownAnswer(held.answer, secrets.redactor())
          : (answerOfProgram(attempts) ?? answerOf(request, run, readAnswer(parts))),
        original: held.original ? shownOriginal(held.original, secrets.redactor()) : null,
        attempts,
        is_waiting: store.webhookAttempts.isWaiting(id),
        rate_limit: rateLimitOf(request.client),
      }
    },
    /** With `text`, returns only requests that contain it. */
    async list({
      text,
      preview,
      ...query
    }: z.output<typeof listWebhookRequestsRoute.query>): Promise<KeyedPage<ListedRequest>> {
      const search = text ?? ''
      const { isInLarge, excerpts } = searchLarge(search)
      const page = await filledPage(
        search === ''
          ? (from) => store.webhookRequests.list(from)
          : (from) => store.webhookRequests.search(search, { textOf: smallTextOf, isInLarge }, from),
        parseKeyedListQuery(query),
      )
      const latest = store.webhookAttempts.latestOf(page.records.map(({ id }) => id))
      const records = page.records.map((one) => ({
        ...one,
        forwarded: shownLatest(latest.get(one.id)),
        ...(preview === 'true' && previewOf(one, search, excerpts)),
      }))
      return { ...page, records }
    },
    tryCondition: createTryCondition(options),
    /** @throws AppError `not_found` if the run sent no response, or none was kept */
    answerOfRun(id: string): WebhookAnswer {
      const run = store.flowRuns.get(id)
      if (run === null)
        throw new AppError('not_found', say('There is no run {{id}}', { id: id.slice(0, 60) }))
      const parts = partsOf(run)
      const kept = readAnswer(parts)
      if (kept !== null) return shownAnswer(kept, secrets.redactor())
      if (run.status === 'error' && wouldBeAnswered(run, readStart(parts))) return failureOf(run)
      throw new AppError(
        'not_found',
        say(
          "Run {{id}} has no response: its flow doesn't start with a webhook that responds, or the response wasn't stored",
          { id },
        ),
      )
    },
  }
}

const PREVIEW_LENGTH = 200

type Excerpt = NonNullable<ReturnType<typeof excerptOf>>
type SearchedBodies = Parameters<Store['webhookRequests']['search']>[1]

const LATE = say('The caller stopped waiting before the flow finished; the flow continued')

/** The error codes of rejected requests by status; if two share a status, the more likely one. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map(
  (Object.entries(ERROR_STATUS) as [ErrorCode, number][])
    .filter(([code]) => code !== 'template_error' && code !== 'flow_error')
    .map(([code, status]) => [status, code]),
)

/** Null if the response wasn't one of Millrace's own errors, because a repeated delivery gets the earlier response. */
function refusalOf({ status }: WebhookRequest, reason: Said): WebhookAnswer | null {
  const code = CODES.get(status)
  return code === undefined || code === 'biz_logic' ? null : envelope(code, reason, null)
}

function failureOf({ id }: FlowRun): WebhookAnswer {
  return envelope('flow_error', say('The flow failed; run {{id}} shows why', { id }), { flow_run_id: id })
}

function envelope(code: ErrorCode, message: Said, data: unknown): WebhookAnswer {
  const error = new AppError(code, message, { data })
  return {
    status: error.status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(error.toEnvelope()),
    truncated: false,
  }
}

/** The response that the caller got from a local program; null if it got another one. */
function answerOfProgram(attempts: readonly WebhookAttempt[]): WebhookAnswer | null {
  const given = attempts.find((attempt) => attempt.answered_caller && attempt.status !== null)
  if (given === undefined) return null
  const { status, headers, body, size } = given
  return { status: status ?? 502, headers, body, truncated: size > LIMITS.attemptBodyBytes }
}

function shownLatest(
  attempt: Omit<StoredAttempt, 'headers' | 'body'> | undefined,
): (NonNullable<ListedRequest['forwarded']> & Spoken) | null {
  if (attempt === undefined) return null
  const { kind, status, duration_ms, error, answered_caller } = attempt
  const said = { error: error && englishOf(error), [SAID]: error ?? undefined }
  return { kind, status, duration_ms, answered_caller, ...said }
}

export function shownAttempt(
  { error, headers, body, url, ...attempt }: StoredAttempt,
  redactor: Redactor,
): WebhookAttempt {
  return {
    ...attempt,
    url: hideParameters(redactor.redactText(url)),
    error: error && englishOf(error),
    headers: shownAnswerHeaders(headersByName(headers), redactor),
    body: body && shownBeginning(body, attempt.size > body.length, redactor),
  }
}

/** Also hides URL parameters in headers such as `Location`. */
function shownAnswerHeaders(
  headers: Readonly<Record<string, string>>,
  redactor: Redactor,
): Record<string, string> {
  const shown = redactor.redactHeaders(headers)
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, hideParameters(value)]))
}

function shownBeginning(bytes: Buffer, isCut: boolean, redactor: Redactor): string {
  const text = bytes.toString()
  return hideParameters(isCut ? redactor.redactBeginning(text) : redactor.redactText(text))
}

function shownAnswer(
  { status, headers, body, truncated = false }: KeptAnswer,
  redactor: Redactor,
): WebhookAnswer {
  return {
    status,
    headers: redactor.redactHeaders(headers),
    body: body === null ? null : redactor.redactText(body),
    truncated,
  }
}

function shownOriginal(
  { method, target, headers, body, size }: NonNullable<KeptHold['original']>,
  redactor: Redactor,
): WebhookRequestDetail['original'] {
  const bytes = Buffer.from(body, 'base64')
  const truncated = bytes.length < size
  return {
    method,
    path: hideParameters(redactor.redactText(target)),
    headers: shownHeaders({ headers }, redactor),
    ...shownBody({ bytes, isText: isUtf8(bytes), truncated }, redactor),
    truncated,
  }
}

async function receivedByRun(
  request: WebhookRequest,
  start: RunStart,
  redactor: Redactor,
): Promise<ReceivedBody> {
  const raw = rawBodyOf(start)
  const read = raw.truncated
    ? null
    : await readAgain({ body: raw.bytes, contentType: contentTypeOf(start), query: '' })
  const input = isDictionary(start.input) ? start.input : null
  return {
    ...shownBody(raw, redactor),
    kind: read?.kind ?? null,
    input: redactor.redactData(start.input) as Json,
    keys:
      input === null ? [] : keysWithOrigin(input, read?.input ?? null, queryNames(request.path), redactor),
  }
}

/**
 * The received part of a body that couldn't be read or whose signature was wrong; `body` is the body as sent, or its
 * beginning.
 */
async function receivedInVain(
  { size, headers, path }: WebhookRequest,
  body: Buffer,
  { maxBytes, redactor }: { readonly maxBytes: number; readonly redactor: Redactor },
): Promise<ReceivedBody> {
  const truncated = body.length < size
  const bytes = truncated
    ? wholeCharacters(body)
    : await decodeContent(body, headers['content-encoding'], maxBytes).catch(() => body)
  const payload = { body: bytes, contentType: headers['content-type'] }
  const read = truncated ? null : await readAgain({ ...payload, query: queryOf(path) })
  const ofBody = read && (await readAgain({ ...payload, query: '' }))
  const shown = shownBody({ bytes, isText: isUtf8(bytes), truncated }, redactor)
  return {
    ...shown,
    truncated: truncated || shown.truncated,
    kind: read?.kind ?? null,
    input: read && (redactor.redactData(read.input) as Json),
    keys: read ? keysWithOrigin(read.input, ofBody?.input ?? null, queryNames(path), redactor) : [],
  }
}

function rebuiltOfRun(request: WebhookRequest, start: RunStart): OriginalRequest | null {
  const { bytes, truncated } = rawBodyOf(start)
  const headers = isDictionary(start.webhook) ? getKey(start.webhook, 'headers') : null
  if (truncated || !isDictionary(headers)) return null
  const lines = Object.fromEntries(
    entriesOf(headers).map(([name, value]) => [name, typeof value === 'string' ? value : writeJson(value)]),
  )
  return rebuilt(request, asEdited({ headers: lines, rawHeaders: [] }, bytes).rawHeaders, bytes)
}

/** The body is stored as sent, so it may still be compressed. */
function rebuiltRejected(request: WebhookRequest, body: Buffer | null): OriginalRequest | null {
  const { outcome, size, headers } = request
  const isUnread = body === null && headers['transfer-encoding'] !== undefined
  if (outcome === 'handshake' || isUnread || (body?.length ?? 0) !== size) return null
  const lines = Object.entries(headers).filter(
    ([name, value]) => name !== 'transfer-encoding' && name !== 'content-length' && !value.includes('***'),
  )
  return rebuilt(request, [...lines.flat(), 'content-length', String(size)], body ?? Buffer.alloc(0))
}

/** Leaves out parameters that contain secrets, because only their redacted form is known. */
function rebuilt(
  { method, path }: WebhookRequest,
  headers: readonly string[],
  body: Buffer,
): OriginalRequest {
  const kept = queryOf(path)
    .slice(1)
    .split('&')
    .filter((parameter) => !parameter.includes('***'))
  const [bare = ''] = path.split('?', 1)
  return { method, target: kept.join('') === '' ? bare : `${bare}?${kept.join('&')}`, headers, body }
}

/** Removes an incomplete UTF-8 character at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  const lengths = [0, 1, 2, 3].map((cut) => bytes.length - cut)
  const length = lengths.find((end) => end >= 0 && isUtf8(bytes.subarray(0, end)))
  return bytes.subarray(0, length)
}

interface RawBody {
  readonly bytes: Buffer
  readonly isText: boolean
  readonly truncated: boolean
}

function rawBodyOf({ webhook, rawBytes }: RunStart): RawBody {
  const text = isDictionary(webhook) ? getKey(webhook, 'raw_body') : ''
  const isText = rawBytes === undefined
  const bytes = isText ? Buffer.from(typeof text === 'string' ? text : '') : Buffer.from(rawBytes, 'base64')
  return { bytes, isText, truncated: !isText && bytes.length === MOST_RAW_BYTES }
}

const LONGEST_TEXT = 1_048_576

function shownBody(
  { bytes, isText, truncated }: RawBody,
  redactor: Redactor,
): Pick<ReceivedBody, 'encoding' | 'body' | 'truncated'> {
  if (!isText) {
    const redacted = Buffer.from(redactor.redactText(bytes.toString('latin1')), 'latin1')
    return { encoding: 'hex', body: redacted.toString('hex'), truncated }
  }
  const text = hideParameters(redactor.redactText(bytes.toString()))
  return { encoding: 'text', body: text.slice(0, LONGEST_TEXT), truncated: text.length > LONGEST_TEXT }
}

function contentTypeOf({ webhook }: RunStart): string | undefined {
  const headers = isDictionary(webhook) ? getKey(webhook, 'headers') : undefined
  const type = isDictionary(headers) ? getKey(headers, 'content-type') : undefined
  return typeof type === 'string' ? type : undefined
}

/** Parses a decoded body again as when it arrived; null if that fails now. Doesn't store its files again. */
async function readAgain(
  payload: Pick<WebhookPayload, 'body' | 'contentType' | 'query'>,
): Promise<WebhookInput | null> {
  const limits = { maxBytes: Number.MAX_SAFE_INTEGER }
  return await parseWebhookInput({ ...payload, limits }, () =>
    Promise.resolve({ file_id: '', size: 0 }),
  ).catch(() => null)
}

function keysWithOrigin(
  input: Dictionary,
  body: Dictionary | null,
  query: ReadonlySet<string>,
  redactor: Redactor,
): InputKey[] {
  const inBody = new Set(body === null ? keysOf(input).filter((name) => !query.has(name)) : keysOf(body))
  return entriesOf(input).map(([key]) => {
    const name = redactor.redactText(key)
    if (!inBody.has(key)) return { name, from: 'query' }
    if (!query.has(key)) return { name, from: 'body' }
    const lost = body === null ? undefined : redactor.redactData(getKey(body, key) ?? null)
    return { name, from: 'both', ...(lost === undefined ? {} : { lost: lost as Json }) }
  })
}

function queryNames(path: string): ReadonlySet<string> {
  const at = path.indexOf('?')
  return new Set(at === -1 ? [] : new URLSearchParams(path.slice(at)).keys())
}
