import { say } from '../../../shared/contract/base/message.ts'
import type { PaginationLimits } from '../../../shared/contract/pagination.ts'
import type { Data, DataMap } from '@millrace/jinja/data'
import type { Clock, Exchange, OutgoingResponse, Random, SendOptions, SendRequest, Sleep } from '../ports.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { writeBody } from '../request/body.ts'
import { createRateBudget, type RateBudget } from '../request/rate-budget.ts'
import { RequestError } from '../request/request-error.ts'
import type { Effect } from '../request/retry-policy.ts'
import { type RetryOptions, sendAttempts } from '../request/send-with-retry.ts'
import { readConfigs } from './config/check-config.ts'
import type { PageEvent } from './events/events.ts'
import { ListWatch, otherListIn } from './doubt/list-watch.ts'
import { saidIn } from './doubt/missing-list.ts'
import { partialIn } from './doubt/partial-page.ts'
import { failedEvent, requestEvent, retryEvent } from './events/page-events.ts'
import { PageReports } from './events/page-reports.ts'
import { type Limits, requireWithin, tooManyRecords, withDefaultLimits } from './model/limits.ts'
import type { PageConfig } from './model/page-config.ts'
import type {
  Doubt,
  FetchedPage,
  PageCall,
  PagePosition,
  PageRequest,
  PaginationSetup,
} from './model/page-run.ts'
import { PaginationError, toPaginationError } from './model/pagination-error.ts'
import { checkpointAt, positionAfter, positionOf, type Resume } from './plan/checkpoint.ts'
import {
  firstCall,
  type PagePlan,
  type PagePlanOutcome,
  planAhead,
  planFromCheckpoint,
  planNext,
  planOrFail,
} from './plan/plan.ts'
import { addressRules } from './request/address.ts'
import { firstRequest } from './request/next-request.ts'
import { fingerprintOf, SeenPages } from './response/fingerprint.ts'
import { formatIn, readPage, repeatReason } from './response/read-page.ts'
import { dropDuplicates } from './response/records.ts'
import { readAnyBody } from './response/response-body.ts'

export interface PaginateOptions {
  readonly action: ApiRequest
  /** The action's flag; without it or a configuration, one request is sent and its body is the output. */
  readonly supportsPagination: boolean
  /** The config as saved or typed; checked before anything is sent. */
  readonly config: Data
  /** Additional variables of templates besides those of pagination: `auth`, `input` and Millrace's variables. */
  readonly variables: DataMap
  /** Origins besides the connector's own that links can lead to, with its credentials. */
  readonly allowedOrigins?: readonly string[]
  readonly limits?: PaginationLimits | undefined
  /** Caps, not limits: reaching one is a success with a warning. */
  readonly maxPages?: number | undefined
  readonly maxRecords?: number | undefined
  /** Whether the configuration applies to the first request too, as in a remote search. */
  readonly appliesToFirst?: boolean
  /** Whether to yield a checkpoint after every page. */
  readonly checkpoints?: boolean
  /** Additional events: how each request is built, the content of each response, or both. */
  readonly include?: readonly ('plan' | 'body')[] | undefined
  readonly resume?: Resume | undefined
  /** With `fail`, a list that may be incomplete fails with `list_in_doubt`. A resumed run requests its end again. */
  readonly whenInDoubt?: 'warn' | 'fail' | undefined
  /** The number of the next attempt at the pending call, from a `ParkedWait`. */
  readonly firstAttempt?: number
  /**
   * Waits longer than this, in milliseconds, throw `ParkedWait`. Null means that every wait up to
   * `max_wait_ms` happens in place.
   */
  readonly parkAboveMs?: number | null
  readonly signal?: AbortSignal | undefined
  readonly ports: PaginatePorts
}

export interface PaginatePorts {
  readonly sendRequest: SendRequest
  readonly clock: Clock
  readonly random: Random
  readonly sleep: Sleep
  /** Shared by all runs with the same credentials; if absent, the run has its own. */
  readonly budget?: RateBudget | undefined
  /** Hides secrets in the details of events; records are not changed. */
  readonly redactor: Redactor
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
  /** Called when a request has been sent, for work that needn't delay it. */
  readonly onSent?: (() => void) | undefined
  readonly send?: Pick<SendOptions, 'timeoutMs' | 'toOwnApi'>
}

/**
 * Fetches all pages of an action and reports everything as it happens. The last event is `done` or `failed`; records
 * are yielded page by page, and no earlier page is kept in memory.
 *
 * @throws ParkedWait if `parkAboveMs` is set; otherwise only defects are thrown
 */
export function paginate(options: PaginateOptions): AsyncGenerator<PageEvent> {
  return new PaginationRun(options).events()
}

/** The reports of a page, and what follows it. */
interface Settled {
  readonly events: readonly PageEvent[]
  readonly next: PagePlanOutcome
}

/** The end of a list if `dedupe_by` has already seen every record of the page. */
const NOTHING_NEW = {
  kind: 'stop',
  reason: 'nothing_new',
  warning: 'nothing_new',
} as const satisfies PagePlan

/** Whether the configuration treats a status as the end of the list; never on the first page. */
function endsByStatus({ page, config }: PageCall, status: number): boolean {
  return page > 0 && config !== null && config.endsOnStatus.includes(status)
}

class PaginationRun {
  /** The variable `page` of the current call. */
  page = 0
  totalRecords: number
  readonly #options: PaginateOptions
  readonly #ports: PaginatePorts
  readonly #limits: Limits
  readonly #budget: RateBudget
  readonly #reports: PageReports
  readonly #seen: SeenPages
  readonly #keys: Set<string>
  readonly #watch: ListWatch
  #lastPage: FetchedPage | null = null
  #position: PagePosition | null
  #firstAttempt: number
  #pages: number
  #emptyPages: number
  /** The start of the last call, on the monotonic clock. */
  #lastCallAt = -Infinity
  /**
   * The plan after the current call, if it can be made before the response arrives; only used if the page isn't the
   * last.
   */
  #ahead: PagePlan | null = null

  constructor(options: PaginateOptions) {
    const { ports, resume } = options
    const checkpoint = resume?.checkpoint
    this.#options = options
    this.#ports = ports
    this.#limits = withDefaultLimits(options.limits)
    this.#budget = ports.budget ?? createRateBudget(ports.clock)
    this.#position = checkpoint ? positionOf(checkpoint) : null
    this.#firstAttempt = options.firstAttempt ?? 1
    this.#reports = new PageReports({
      include: options.include,
      redactor: ports.redactor,
      clock: ports.clock,
      warnings: checkpoint?.warnings ?? [],
      doubts: checkpoint?.doubts ?? [],
    })
    this.#seen = new SeenPages(resume?.fingerprints)
    this.#keys = new Set(resume?.keys)
    this.#watch = new ListWatch(checkpoint?.watched)
    this.#pages = checkpoint?.pages ?? 0
    this.#emptyPages = checkpoint?.emptyPages ?? 0
    this.totalRecords = checkpoint?.totalRecords ?? 0
  }

  /**
   * Does the whole run, page by page: request, response, events and the plan for the next page. It delegates to as
   * few nested generators as possible, because each one that an event passes through costs more than creating the
   * event.
   */
  async *events(): AsyncGenerator<PageEvent> {
    try {
      const setup = this.#setUp()
      if (setup === null) {
        yield* this.#unpaged(this.#setUpWith([]))
        return
      }

      const { resume, appliesToFirst = false } = this.#options
      let next: PagePlanOutcome = resume
        ? planFromCheckpoint(resume.checkpoint, setup)
        : { kind: 'request', call: firstCall(setup, appliesToFirst), liveCursors: new Set() }
      if (next.kind === 'request' && next.call.page === 0)
        yield* this.#reports.explain(0, next, setup, this.#position)
      while (next.kind === 'request') {
        const { call, liveCursors } = next
        this.page = call.page
        if (call.page > 0) requireWithin(this.#limits, this.#pages, this.#emptyPages, this.totalRecords)
        const { largePageSize, isUpgraded } = call.request
        if (largePageSize !== null) yield* this.#reports.warn(this.page, 'page_size', largePageSize)
        if (isUpgraded) yield* this.#reports.warn(this.page, 'upgraded_link')
        await this.#pace(call)
        // Paging only reads, whatever the method, so a POST that searches is retried like a GET.
        const response: OutgoingResponse | null = yield* this.#send(call, setup, 'read')
        if (response === null) {
          next = { kind: 'stop', reason: 'not_found' }
          yield* this.#doubtEnd(setup)
          break
        }
        if (endsByStatus(call, response.status)) {
          yield* this.#reports.answered(call, response, 0, this.totalRecords)
          next = { kind: 'stop', reason: 'ended_by_status' }
          yield* this.#doubtEnd(setup)
          break
        }
        this.#pages++
        let page: FetchedPage
        try {
          page = readPage(call, response, setup, this.#watch.watched)
        } catch (error) {
          yield* this.#reports.answered(call, response, 0, this.totalRecords)
          throw error
        }
        const settled = this.#settle(page, liveCursors, setup)
        for (const event of settled.events) yield event
        next = settled.next
      }
      if (next.kind === 'fail') throw next.error
      if (next.warning !== undefined) yield* this.#reports.warn(this.page, next.warning)
      if (this.#failsInDoubt()) throw inDoubt()
      const last = this.#lastPage
      const announced = last && this.#watch.totalAtEnd(last, setup.configs, setup.action)
      yield this.#reports.done(this.#pages, this.totalRecords, next.reason, announced)
    } catch (error) {
      const failure = toPaginationError(error, { page: this.page, partialCount: this.totalRecords })
      if (failure === null) throw error
      yield failedEvent(failure, this.#ports.redactor)
    }
  }

  /** Null if nothing is paginated. */
  #setUp(): PaginationSetup | null {
    const { config, variables, supportsPagination } = this.#options
    if (!supportsPagination || config === null) return null
    return this.#setUpWith(readConfigs(config, Object.keys(variables)))
  }

  #setUpWith(configs: readonly PageConfig[]): PaginationSetup {
    const { action, variables, allowedOrigins = [] } = this.#options
    const origins = [...allowedOrigins, ...configs.flatMap((entry) => entry.allowedOrigins)]
    return { action, configs, variables, rules: addressRules(action.baseUrl, action.endpoint, origins) }
  }

  async *#unpaged(setup: PaginationSetup): AsyncGenerator<PageEvent> {
    const call = { page: 0, config: null, context: {}, request: firstRequest(setup) }
    const response = yield* this.#send(call, setup, undefined)
    if (response === null) throw new Error('A first call has no page before it')
    this.#pages = 1
    yield* this.#reports.answered(call, response, 0, 0)
    yield { type: 'output', value: readAnyBody(response) }
    yield this.#reports.done(this.#pages, this.totalRecords, 'not_paginated', null)
  }

  /**
   * Sends with retries. Reports every response except the successful one.
   *
   * @param effect derived from the method if undefined, so that a writing call is not repeated
   * @returns null if a counted list ends with this 404
   */
  async *#send(
    call: PageCall,
    setup: PaginationSetup,
    effect: Effect | undefined,
  ): AsyncGenerator<PageEvent, OutgoingResponse | null> {
    const { redactor } = this.#ports
    const { method, url, headers, body } = call.request
    const attempts = sendAttempts(
      { method, url, headers, body: writeBody(body) },
      this.#retryOptions(call, setup, effect),
    )
    this.#firstAttempt = 1
    for (let step = await attempts.next(); ;) {
      if (step.done) {
        const { response, refusal } = step.value
        if (refusal === null) return response
        yield* this.#reports.answered(call, response, 0, this.totalRecords)
        if (!isEndByNotFound(refusal, call)) throw refusal
        yield* call.page === 1
          ? this.#reports.doubt(this.page, { code: 'ended_by_404' })
          : this.#reports.warn(this.page, 'ended_by_404')
        return null
      }
      const event = step.value
      if (event.type === 'request') yield requestEvent(call, event.attempt, redactor)
      else if (event.type === 'retry') yield retryEvent(call.page, event, redactor)
      else yield* this.#reports.answered(call, event.response, 0, this.totalRecords)
      const following = attempts.next()
      // Plan the next call while waiting for the response. If the caller wants explanations, calls are planned one
      // after the other.
      if (event.type === 'request') {
        this.#ahead = this.#options.include === undefined ? planAhead(call.page, setup) : null
        this.#ports.onSent?.()
      }
      step = await following
    }
  }

  /** Keeps `min_interval_ms` between the starts of two calls. */
  async #pace({ config }: PageCall): Promise<void> {
    const { clock, sleep } = this.#ports
    const waitMs = this.#lastCallAt + (config?.minIntervalMs ?? 0) - clock.monotonic()
    if (waitMs > 0) await sleep(waitMs, this.#options.signal)
    this.#lastCallAt = clock.monotonic()
  }

  #retryOptions(call: PageCall, setup: PaginationSetup, effect: Effect | undefined): RetryOptions {
    const { sendRequest, clock, random, sleep, onExchange, send } = this.#ports
    const { max_attempts, backoff_base_ms, max_wait_ms, max_redirects, rate_limit_patience_ms } = this.#limits
    const isChosen = this.#options.limits?.max_attempts !== undefined
    return {
      sendRequest,
      clock,
      random,
      sleep,
      onExchange,
      budget: this.#budget,
      signal: this.#options.signal,
      effect,
      firstAttempt: this.#firstAttempt,
      policy: {
        maxAttempts: max_attempts,
        backoffBaseMs: backoff_base_ms,
        maxWaitMs: max_wait_ms,
        parkAboveMs: this.#options.parkAboveMs ?? null,
        rateLimitPatienceMs: isChosen ? null : rate_limit_patience_ms,
      },
      send: { ...send, trustedOrigins: setup.rules.origins, maxRedirects: max_redirects },
      repeatWhen: (response, rate) => repeatReason(response, rate, call, setup, this.#watch.watched),
      accepts: (status) => endsByStatus(call, status),
      ...(setup.configs.some(({ responseFormat }) => responseFormat !== null)
        ? { formatOf: (response: OutgoingResponse) => formatIn(response, call, setup) }
        : {}),
    }
  }

  /** Decides what follows a page, and collects the events to report about it. */
  #settle(page: FetchedPage, liveCursors: ReadonlySet<string>, setup: PaginationSetup): Settled {
    const reports = this.#reports
    const { call, response, read, config } = page
    const fresh = dropDuplicates(read.records, config?.dedupeBy ?? null, this.#keys)
    const count = this.totalRecords + fresh.records.length
    const position = positionAfter(page, this.#position, count, liveCursors, setup)
    this.#position = position
    const ahead = this.#ahead
    let next = planOrFail(call.page, () => planNext(page, setup, position, ahead))

    const fingerprint = fingerprintOf(page, next.kind === 'request' ? next.call : null)
    const recurrence = fingerprint === null ? 'new' : this.#seen.add(fingerprint, read.unfiltered)
    const bringsNothing = call.page > 0 && read.records.length > 0 && fresh.records.length === 0
    if (bringsNothing && recurrence !== 'repeated' && next.kind === 'request') next = NOTHING_NEW
    else if (recurrence === 'repeated' || recurrence === 'loop') {
      const events = reports.answered(call, response, read.records.length, this.totalRecords, page)
      if (recurrence === 'loop') return { events, next: { kind: 'fail', error: goesInCircles(call.page) } }
      const code = call.page === 1 ? 'first_page_again' : 'repeated_page'
      const before = this.#lastPage?.call.request
      const advances =
        next.kind === 'stop' || config?.readsResponse !== true || !isSameRequest(call.request, before)
      const isFirst = call.page === 1 && !this.#watch.isTotalReached
      if (isFirst || (advances && !this.#watch.isHonestRepeat(read.unfiltered.length)))
        events.push(...reports.doubt(call.page, { code }))
      else events.push(...reports.warn(call.page, code))
      this.#lastPage = page
      events.push(...this.#doubtEnd(setup))
      return { events, next: { kind: 'stop', reason: 'repeated_page' } }
    }

    const goesOn = next.kind === 'request' && config?.readsResponse === true
    const isNothingAmongLists = goesOn && read.place === 'nothing' && this.#watch.watched.traits !== null
    this.#watch.note(page)
    this.#lastPage = page
    const wish = (this.#options.maxRecords ?? Infinity) - this.totalRecords
    const records = fresh.records.length > wish ? fresh.records.slice(0, wish) : fresh.records
    this.totalRecords += records.length
    this.#emptyPages = read.found === 'empty' || read.found === 'missing' ? this.#emptyPages + 1 : 0
    const events = reports.answered(call, response, read.records.length, this.totalRecords, page)
    const doubts: Doubt[] = []
    const isScalar = call.page === 0 && read.place === 'scalar' && read.found === 'records'
    if (read.found === 'single' || isScalar)
      doubts.push({ code: 'not_a_list', detail: otherListIn(page.body) })
    if (page.lacksList || isNothingAmongLists)
      doubts.push({ code: 'list_missing', detail: saidIn(page.body) })
    const partial = page.config === null ? null : partialIn(page, this.#watch.watched.traits)
    if (partial !== null) doubts.push({ code: 'partial_page', detail: partial })
    if (recurrence === 'again') doubts.push({ code: 'previous_page_again' })
    const missed = this.#watch.foundLater()
    if (missed !== null && config?.listMayBeAbsent !== true)
      doubts.push({
        code: 'jsonpath_no_match',
        detail: say('{{first}}. {{second}}', { first: missed, second: LATE_LIST }),
      })
    const before = { warnings: [...reports.warnings], doubts: [...reports.doubts] }
    if (records.length > 0) events.push({ type: 'records', page: call.page, records })
    events.push(...reports.explain(call.page + 1, next, setup, this.#position))

    const cut = this.#wishReached(config, records.length < fresh.records.length, next)
    if (cut !== null) {
      events.push(...reports.warn(call.page, 'cut_by_max_pages', cut))
      next = { kind: 'stop', reason: 'cut_by_max_pages' }
    }
    if (next.kind === 'stop' && next.reason === 'no_config_matched')
      events.push(...reports.warn(call.page, 'no_config_matched'))
    if (next.kind === 'stop' && next.warning !== undefined)
      events.push(...reports.warn(call.page, next.warning))
    for (const doubt of doubts) events.push(...reports.doubt(call.page, doubt))
    if (next.kind === 'stop' && next.reason !== 'cut_by_max_pages' && next.isWish !== true)
      events.push(...this.#doubtEnd(setup))
    const fails = this.#failsInDoubt()
    // A page that put the list in doubt isn't stored, so that a resumed run requests it again.
    const isKept = !fails || (records.length > 0 && recurrence === 'new')
    if (this.#options.checkpoints === true && isKept) {
      const counts = {
        pages: this.#pages,
        totalRecords: this.totalRecords,
        emptyPages: this.#emptyPages,
        stopReason: next.kind === 'stop' && !fails ? next.reason : null,
        ...(fails ? before : { warnings: [...reports.warnings], doubts: [...reports.doubts] }),
        watched: this.#watch.watched,
        fingerprint,
        keys: fresh.keys,
      }
      events.push({ type: 'checkpoint', checkpoint: checkpointAt(position, counts, setup) })
    }
    if (fails) next = { kind: 'fail', error: inDoubt() }
    if (this.totalRecords > this.#limits.max_records)
      next = { kind: 'fail', error: tooManyRecords(this.#limits.max_records) }
    return { events, next }
  }

  /** Reports why the end of the list is in doubt. */
  #doubtEnd(setup: PaginationSetup): PageEvent[] {
    const page = this.#lastPage
    if (page === null) return []
    const doubts = this.#watch.doubtsAtEnd(page, setup.configs, setup.action)
    return doubts.flatMap((doubt) => this.#reports.doubt(this.page, doubt))
  }

  #failsInDoubt(): boolean {
    return this.#options.whenInDoubt === 'fail' && this.#reports.doubts.size > 0
  }

  /** A description of the cap that ends the list; null if none is reached or the list has ended by itself. */
  #wishReached(config: PageConfig | null, wasCut: boolean, next: PagePlanOutcome): string | null {
    const { maxRecords, maxPages = Infinity } = this.#options
    if (wasCut) return `max_records = ${maxRecords}`
    if (next.kind === 'stop') return null
    if (maxRecords !== undefined && this.totalRecords >= maxRecords) return `max_records = ${maxRecords}`
    const pages = Math.min(maxPages, config?.maxPages ?? Infinity)
    return this.#pages >= pages ? `max_pages = ${pages}` : null
  }
}

const LATE_LIST = say('If the API responds without a list until it is ready, set "list_may_be_absent"')

/** A 404 after the last page of a counted list means that there are no more pages. */
function isEndByNotFound(error: unknown, { page, config }: PageCall): boolean {
  const isNotFound = error instanceof RequestError && error.code === 'http_error' && error.status === 404
  return isNotFound && page > 0 && config?.readsResponse === false
}

function inDoubt(): PaginationError {
  return new PaginationError(
    'list_in_doubt',
    say(
      'The list may be incomplete, as its warnings say, and "when_in_doubt" is "fail". Correct the pagination and resume the run, or set "when_in_doubt" to "warn"',
    ),
  )
}

function isSameRequest(request: PageRequest, before: PageRequest | undefined): boolean {
  if (request.url !== before?.url) return false
  const sent = ({ headers, body }: PageRequest) => JSON.stringify([headers, writeBody(body)])
  return sent(request) === sent(before)
}

function goesInCircles(page: number): PaginationError {
  return new PaginationError(
    'pagination_loop',
    say(
      "Page {{page}} repeats an earlier page (pagination loop), so the list can't be complete. Check the cursor or page that the configuration sends",
      { page },
    ),
    { page },
  )
}
