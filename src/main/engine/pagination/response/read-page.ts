import { say } from '../../../../shared/contract/base/message.ts'
import type { ResponseFormat } from '../../../../shared/contract/base/pagination-config.ts'
import {
  type Data,
  HeaderMap,
  isDictionary,
  isJsonText,
  isList,
  keysOf,
  writeJson,
} from '@millrace/jinja/data'
import type { OutgoingResponse } from '../../ports.ts'
import type { RateLimit } from '../../request/rate-limit.ts'
import { placeOf } from '../../request/request-error.ts'
import type { Repeat } from '../../request/retry-policy.ts'
import { readJsonBody } from '../../request/response-json.ts'
import { evaluateCondition, renderTemplate } from '@millrace/jinja'
import { selectConfig } from '../config/select-config.ts'
import { type PageConfig, type PageContext, RENDER_OPTIONS } from '../model/page-config.ts'
import type { FetchedPage, PageCall, PageRecords, PaginationSetup, RecordPlaces } from '../model/page-run.ts'
import { inFieldOf, PaginationError } from '../model/pagination-error.ts'
import { conditionContext, contextFor } from '../request/context.ts'
import { readRecords, recordPlaces } from './records.ts'
import {
  failureIn,
  namesFailure,
  judgeMissingList,
  type ListTraits,
  type MissingList,
  saidIn,
} from '../doubt/missing-list.ts'
import { listHolderOf, wayTo } from './list-place.ts'
import { type BodyKeys, columnsOf, formatOf, readResponseBody } from './response-body.ts'

/**
 * Reads the records of a response with the configuration and variables of the call that fetched it. The first response
 * is read with the configuration that its own content selects for `page` = 1.
 *
 * @throws PaginationError `error_in_answer` if it has no list and reports a failure
 */
export function readPage(
  call: PageCall,
  response: OutgoingResponse,
  setup: PaginationSetup,
  before: PagesBefore,
): FetchedPage {
  const page = read(call, response, setup)
  if (page.config === null) return page
  requireGood(page)
  const list = missingListIn(page, before)
  if (list === 'error') throw errorInDisguise(page)
  if (list === 'here') return page
  // The value in place of the list isn't a record.
  const { place } = page.read
  const found = place === 'absent' ? 'missing' : 'empty'
  return { ...page, lacksList: true, read: { records: [], unfiltered: [], found, isNull: true, place } }
}

/** Facts about previous pages, with which a page without a list is compared. */
export interface PagesBefore {
  /** Null if no page had a list yet. */
  readonly traits: ListTraits | null
  readonly count: number
  /** The total in the first response. */
  readonly total: number | null
  /** Whether the first response had no list but a later one had, which means that the API leaves out empty lists. */
  readonly startsLate?: boolean
}

function missingListIn(
  { body, read, config, way, holder, format }: FetchedPage,
  before: PagesBefore,
): MissingList {
  const { traits, count, total, startsLate } = before
  const recordKeys = traits?.recordKeys ?? []
  if (recordKeys.length > 0 && isOtherList(body, format, recordKeys)) return 'error'
  return judgeMissingList(body, read, traits, {
    mayBeAbsent: config?.listMayBeAbsent === true || startsLate === true,
    count,
    total,
    way,
    holder,
  })
}

/** Tables and JSON lines are always lists. An error page has other columns, or is one line with other keys. */
function isOtherList(body: Data, format: ResponseFormat, recordKeys: readonly string[]): boolean {
  const columns = columnsOf(body)
  if (columns !== null) return columns.length > 0 && !columns.some((name) => recordKeys.includes(name))
  if (format !== 'ndjson' || !isList(body) || body.length !== 1) return false
  return !keysOfOnly(body).some((name) => recordKeys.includes(name))
}

/** The keys of the only record, if a list has just one. */
function keysOfOnly(body: Data): readonly string[] {
  const [only = null, ...others] = isList(body) ? body : []
  return others.length === 0 && isDictionary(only) ? keysOf(only) : []
}

function errorInDisguise({ body, response }: FetchedPage): PaginationError {
  const columns = columnsOf(body)
  const said =
    columns === null
      ? saidIn(body)
      : say('a table with other columns ({{columns}})', { columns: saidIn(columns.join(', ')) })
  return new PaginationError(
    'error_in_answer',
    say('{{url}} returned status {{status}} and something other than the list: {{said}}', {
      url: placeOf(response.url),
      status: response.status,
      said,
    }),
    { status: response.status },
  )
}

function read(call: PageCall, response: OutgoingResponse, setup: PaginationSetup): FetchedPage {
  const config = call.config ?? configOfFirst(response, setup)
  const format = formatOf(response, config)
  const body = readResponseBody(response, config)
  const path = config === null ? '' : pathOf(config, call.context, format)
  const inPath = <T>(work: () => T) => inFieldOf(config?.fieldOf('response_jsonpath') ?? '', work)
  const records = inPath(() =>
    format === 'text' && typeof body === 'string' ? textRecord(body) : readRecords(path, body),
  )
  const holder = format === 'xml' ? inPath(() => listHolderOf(path, body ?? null)) : null
  const way = inPath(() => wayTo(path))
  return { call, config, response, body: body ?? null, format, read: records, way, holder, lacksList: false }
}

/** A string is one record, and a blank string is a page without records. */
function textRecord(text: string): PageRecords {
  const records = text.trim() === '' ? [] : [text]
  const found = records.length === 0 ? 'empty' : 'records'
  return { records, found, unfiltered: records, isNull: false, place: 'list' }
}

/** The places of a page's records in its response. */
export function placesIn({ call, config, body, format }: FetchedPage): RecordPlaces {
  return recordPlaces(config === null ? '' : pathOf(config, call.context, format), body)
}

/**
 * The configuration that a first response selects; null if there is none. Each configuration is tried on the
 * response as it would read it.
 */
export function configOfFirst(response: OutgoingResponse, setup: PaginationSetup): PageConfig | null {
  const ways = new Map(
    setup.configs.map((config) => [`${config.responseFormat} ${config.delimiter}`, config]),
  )
  const chosen = [...ways].map(([way, keys]) => {
    const body = bodyOrNull(response, keys)
    const previous = { address: response.url, body, headers: response.headers, status: response.status }
    const position = { page: 0, previous, count: 0, lastRecord: null, liveCursors: new Set<string>() }
    const conditions = conditionContext(contextFor(1, setup, position), response.status)
    const config = selectConfig(setup.configs, conditions)
    return { config, isOwn: config !== null && `${config.responseFormat} ${config.delimiter}` === way }
  })
  return (chosen.find(({ isOwn }) => isOwn) ?? chosen[0])?.config ?? null
}

/** Reading the page reports what is wrong with a body. */
function bodyOrNull(response: OutgoingResponse, keys: BodyKeys | null): Data {
  try {
    return readResponseBody(response, keys) ?? null
  } catch (error) {
    if (error instanceof PaginationError) return null
    throw error
  }
}

/** The format that a response is read as. */
export function formatIn(response: OutgoingResponse, call: PageCall, setup: PaginationSetup): ResponseFormat {
  return formatOf(response, call.config ?? configOfFirst(response, setup))
}

/** An XML element that occurs once isn't a list, so a `[*]` after it would take its children for records. */
function pathOf({ responsePath, fieldOf }: PageConfig, context: PageContext, format: ResponseFormat): string {
  if (responsePath === null) return ''
  const path = inFieldOf(fieldOf('response_jsonpath'), () =>
    renderTemplate(responsePath, context, RENDER_OPTIONS),
  ).trim()
  return format === 'xml' ? path.replace(/\[\*\]$/, '') : path
}

/** Why a request is repeated although the status of its response isn't an error. */
export function repeatReason(
  response: OutgoingResponse,
  rate: RateLimit,
  call: PageCall,
  setup: PaginationSetup,
  before: PagesBefore,
): Repeat | null {
  if (setup.configs.length === 0) return null
  const isGood = response.status >= 200 && response.status < 300
  const hasRule = setup.configs.some(({ retryWhen }) => retryWhen !== null)
  if (!isGood && !hasRule) return null
  const config = isGood ? (call.config ?? configOfFirst(response, setup)) : null
  let body: Data
  try {
    body = readResponseBody(response, config) ?? null
  } catch {
    if (isGood) return null // reported when the page is read
    body = null
  }
  if (hasRule && retryWhenHolds(response, body, call, setup)) return RETRY_WHEN
  if (!isGood) return null
  const mayBeLate = response.status === 202 && (rate.asksToRetry || call.page > 0)
  if (mayBeLate && !holdsList(response, call, setup)) return NOT_READY
  const disguised = disguisedFailure(response, body, call, setup, before)
  if (disguised !== null) return disguised
  const failure = failureIn(body)
  return failure !== null && RATE_LIMIT_WORDS.test(writeJson(failure)) && !holdsList(response, call, setup)
    ? RATE_LIMITED
    : null
}

/**
 * A page without its list is requested again if it has nothing in common with the previous pages, or names a
 * rate limit.
 */
function disguisedFailure(
  response: OutgoingResponse,
  body: Data,
  call: PageCall,
  setup: PaginationSetup,
  before: PagesBefore,
): Repeat | null {
  if (call.page === 0 || before.traits === null) return null
  let page: FetchedPage
  try {
    page = read(call, response, setup)
  } catch {
    return null // reported when the page is read
  }
  if (page.config === null) return null
  const list = missingListIn(page, before)
  if (list === 'here') return null
  const text = writeJson(body)
  if (text.length < 10_000 && RATE_LIMIT_WORDS.test(text)) return RATE_LIMITED
  return list === 'error' && failureIn(body) === null ? NOT_THE_LIST : null
}

const RETRY_WHEN: Repeat = {
  reason: say('retry_when is true'),
  refusal: say('retry_when matched the response'),
  isPatient: false,
}
const NOT_READY: Repeat = {
  reason: say('HTTP 202, not ready yet'),
  refusal: say('the list is still not ready (HTTP 202)'),
  isPatient: true,
}
/** Reading the page reports what is wrong. */
const NOT_THE_LIST: Repeat = { reason: say('The response has no list'), refusal: null, isPatient: false }
/** Reading the page reports what is wrong. */
const RATE_LIMITED: Repeat = {
  reason: say('The response reports a rate limit'),
  refusal: null,
  isPatient: true,
}

const RATE_LIMIT_WORDS = /ratelimited|rate[_ -]?limit|too[_ -]many[_ -]requests|throttled/i

/** In the rule, `previous_request` is the response itself. */
function retryWhenHolds(
  response: OutgoingResponse,
  body: Data,
  call: PageCall,
  setup: PaginationSetup,
): boolean {
  const config = call.config ?? configOfFirst(response, setup)
  const retryWhen = config?.retryWhen ?? null
  if (config === null || retryWhen === null) return false
  const context = conditionContext(
    {
      ...call.context,
      previous_request: body,
      previous_request_headers: new HeaderMap(response.headers),
    },
    response.status,
  )
  return inFieldOf(config.fieldOf('retry_when'), () => evaluateCondition(retryWhen, context, RENDER_OPTIONS))
}

function holdsList(response: OutgoingResponse, call: PageCall, setup: PaginationSetup): boolean {
  try {
    return hasList(read(call, response, setup).read)
  } catch {
    return false
  }
}

/** An empty list is a list, but null isn't. */
function hasList({ found, isNull }: PageRecords): boolean {
  return found === 'records' || found === 'filtered' || (found === 'empty' && !isNull)
}

/** Text, and a line of JSON with only an error in it, are lists only because of their format. */
function failureInList({ body, format, response }: FetchedPage): Data {
  if (format === 'text' && typeof body === 'string' && body.trimStart().startsWith('{') && isJsonText(body))
    return failureIn(readJsonBody(response))
  const keys = format === 'ndjson' ? keysOfOnly(body) : []
  return namesFailure(keys) && isList(body) ? failureIn(body[0] ?? null) : null
}

function requireGood(page: FetchedPage): void {
  const { read, response } = page
  const failure = hasList(read) ? failureInList(page) : failureIn(page.body)
  if (failure === null) return
  const text = typeof failure === 'string' ? failure : writeJson(failure)
  const said =
    failure === false ? 'that it failed' : text.length > 300 ? `${text.slice(0, 300).toWellFormed()}…` : text
  throw new PaginationError(
    'error_in_answer',
    say('{{url}} returned status {{status}} without a list, and the message: {{said}}', {
      url: placeOf(response.url),
      status: response.status,
      said,
    }),
    { status: response.status },
  )
}
