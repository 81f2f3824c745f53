import { HeaderMap } from '../../data/header-map.ts'
import { writeJson } from '../../data/json.ts'
import { type Data, getKey, isDictionary, isList, keysOf } from '../../data/value.ts'
import type { OutgoingResponse } from '../../ports.ts'
import type { RateLimit } from '../../request/rate-limit.ts'
import { placeOf } from '../../request/request-error.ts'
import type { Repeat } from '../../request/retry-policy.ts'
import { evaluateCondition, renderTemplate } from '../../template/index.ts'
import { selectConfig } from '../config/select-config.ts'
import { type PageConfig, type PageContext, RENDER_OPTIONS } from '../model/page-config.ts'
import type { FetchedPage, PageCall, PageRecords, PaginationSetup, RecordPlaces } from '../model/page-run.ts'
import { inFieldOf, PaginationError } from '../model/pagination-error.ts'
import { conditionContext, contextFor } from '../request/context.ts'
import { readRecords, recordPlaces } from './records.ts'
import { judgeMissingList, type ListTraits, type MissingList, saidIn } from '../doubt/missing-list.ts'
import { isXml, readResponseBody } from './response-body.ts'

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
  // What is there instead of the list isn't a record.
  const { place } = page.read
  const found = place === 'absent' ? 'missing' : 'empty'
  return { ...page, lacksList: true, read: { records: [], unfiltered: [], found, isNull: true, place } }
}

/** What a page without a list is compared with. */
export interface PagesBefore {
  /** Null: no page had a list yet. */
  readonly traits: ListTraits | null
  readonly count: number
}

function missingListIn({ body, read, config }: FetchedPage, { traits, count }: PagesBefore): MissingList {
  return judgeMissingList(body, read, traits, { mayBeAbsent: config?.listMayBeAbsent === true, count })
}

function errorInDisguise({ body, response }: FetchedPage): PaginationError {
  return new PaginationError(
    'error_in_answer',
    `${placeOf(response.url)} returned status ${response.status} and something else than the list: ${saidIn(body)}`,
    { status: response.status },
  )
}

function read(call: PageCall, response: OutgoingResponse, setup: PaginationSetup): FetchedPage {
  const body = readResponseBody(response)
  const config = call.config ?? configOfFirst(response, body ?? null, setup)
  const path = config === null ? '' : pathOf(config, call.context, response)
  const records = inFieldOf(config?.fieldOf('response_jsonpath') ?? '', () => readRecords(path, body))
  return { call, config, response, body: body ?? null, read: records, lacksList: false }
}

/** Where the records of a page are in its response. */
export function placesIn({ call, config, body, response }: FetchedPage): RecordPlaces {
  return recordPlaces(config === null ? '' : pathOf(config, call.context, response), body)
}

export function configOfFirst(
  response: OutgoingResponse,
  body: Data,
  setup: PaginationSetup,
): PageConfig | null {
  const previous = { address: response.url, body, headers: response.headers, status: response.status }
  const position = { page: 0, previous, count: 0, lastRecord: null, liveCursors: new Set<string>() }
  return selectConfig(setup.configs, conditionContext(contextFor(1, setup, position), response.status))
}

/** An XML element that occurs once isn't a list, so a `[*]` after it would take its children for records. */
function pathOf(
  { responsePath, fieldOf }: PageConfig,
  context: PageContext,
  response: OutgoingResponse,
): string {
  if (responsePath === null) return ''
  const path = inFieldOf(fieldOf('response_jsonpath'), () =>
    renderTemplate(responsePath, context, RENDER_OPTIONS),
  ).trim()
  return isXml(response) ? path.replace(/\[\*\]$/, '') : path
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
  let body: Data
  try {
    body = readResponseBody(response) ?? null
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

/** A page without its list is requested again if nothing in it is like the pages before, or it names a rate limit. */
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
  if (page.config === null || page.read.place === 'list') return null
  const list = missingListIn(page, before)
  if (list === 'here') return null
  const text = writeJson(body)
  if (text.length < 10_000 && RATE_LIMIT_WORDS.test(text)) return RATE_LIMITED
  return list === 'error' && failureIn(body) === null ? NOT_THE_LIST : null
}

const RETRY_WHEN: Repeat = {
  reason: 'retry_when holds',
  refusal: 'retry_when matched the response',
  isPatient: false,
}
const NOT_READY: Repeat = {
  reason: 'HTTP 202, not ready yet',
  refusal: 'the list is still not ready (HTTP 202)',
  isPatient: true,
}
/** Reading the page reports what is wrong. */
const NOT_THE_LIST: Repeat = { reason: 'The response has no list', refusal: null, isPatient: false }
/** Reading the page reports what is wrong. */
const RATE_LIMITED: Repeat = { reason: 'The response names a rate limit', refusal: null, isPatient: true }

const RATE_LIMIT_WORDS = /ratelimited|rate[_ -]?limit|too[_ -]many[_ -]requests|throttled/i

/** In the rule, `previous_request` is the response itself. */
function retryWhenHolds(
  response: OutgoingResponse,
  body: Data,
  call: PageCall,
  setup: PaginationSetup,
): boolean {
  const config = call.config ?? configOfFirst(response, body, setup)
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

/** An empty list is a list, null isn't. */
function hasList({ found, isNull }: PageRecords): boolean {
  return found === 'records' || found === 'filtered' || (found === 'empty' && !isNull)
}

/** The failure that a response reports; null if it reports none. */
function failureIn(body: Data): Data {
  if (!isDictionary(body)) return null
  for (const name of ['errors', 'error']) {
    const value = getKey(body, name) ?? null
    if (!isNothing(value)) return value
  }
  const refuses = ['ok', 'success', 'successful'].some((name) => getKey(body, name) === false)
  const status = getKey(body, 'status')
  if (!refuses && !(typeof status === 'string' && /^(?:error|fail)$/i.test(status))) return null
  const said = ['message', 'msg', 'detail', 'reason', 'description', 'code'].map(
    (name) => getKey(body, name) ?? null,
  )
  return said.find((value) => !isNothing(value)) ?? (refuses ? false : (status ?? null))
}

function isNothing(value: Data): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (isList(value)) return value.length === 0
  return isDictionary(value) && keysOf(value).length === 0
}

function requireGood({ body, read, response }: FetchedPage): void {
  if (hasList(read)) return
  const failure = failureIn(body)
  if (failure === null) return
  const text = typeof failure === 'string' ? failure : writeJson(failure)
  const said =
    failure === false ? 'that it failed' : text.length > 300 ? `${text.slice(0, 300).toWellFormed()}…` : text
  throw new PaginationError(
    'error_in_answer',
    `${placeOf(response.url)} returned status ${response.status} without a list, and the message: ${said}`,
    { status: response.status },
  )
}
