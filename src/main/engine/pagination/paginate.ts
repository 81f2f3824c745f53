import type { PaginationLimits, StopReason } from '../../../shared/contract/pagination.ts'
import type { Redactor } from '../data/redact.ts'
import type { Data, DataMap } from '../data/value.ts'
import type { Clock, Exchange, OutgoingResponse, Random, SendOptions, SendRequest, Sleep } from '../ports.ts'
import { createRateBudget, type RateBudget } from '../request/rate-budget.ts'
import { RequestError } from '../request/request-error.ts'
import type { Effect } from '../request/retry-policy.ts'
import { type RetryOptions, sendAttempts } from '../request/send-with-retry.ts'
import { addressRules } from './address.ts'
import { readConfigs } from './check-config.ts'
import { checkpointAt, positionAfter, positionOf } from './checkpoint.ts'
import { contextFor } from './context.ts'
import { withoutKnown } from './dedupe.ts'
import type { Checkpoint, PageEvent, Resume, WarningCode } from './events.ts'
import { explainCall } from './explain-call.ts'
import { type Limits, requireWithin, tooManyRecords, withDefaultLimits } from './limits.ts'
import { firstRequest } from './next-request.ts'
import type { PageConfig } from './page-config.ts'
import {
  bodyEvent,
  doneEvent,
  failedEvent,
  planEvent,
  requestEvent,
  responseEvent,
  retryEvent,
  warningEvent,
} from './page-events.ts'
import { PaginationError, toPaginationError } from './pagination-error.ts'
import { firstCall, planCall, type Plan, planNext } from './plan.ts'
import { fingerprintOf, PagesSeen } from './progress.ts'
import { placesIn, readPage } from './read-page.ts'
import { NOWHERE } from './record-places.ts'
import { writeBody } from './request-body.ts'
import { readAnyBody } from './response-body.ts'
import { isFailure } from './retry-when.ts'
import type { ActionRequest, Call, Page, Position, Setup } from './run.ts'

export interface PaginateOptions {
  readonly action: ActionRequest
  /** The action's flag; without it, or without a configuration, one request is sent and its body is the output. */
  readonly supportsPagination: boolean
  /** As saved or typed; checked before anything is sent. */
  readonly config: Data
  /** What templates may read beside the variables of pagination: `auth`, `input`, env variables. */
  readonly variables: DataMap
  /** Origins beside the connector's own that links may lead to, with its credentials. */
  readonly allowedOrigins?: readonly string[]
  readonly limits?: PaginationLimits | undefined
  /** Wishes: reaching one is a success with a warning. */
  readonly maxPages?: number | undefined
  readonly maxRecords?: number | undefined
  /** The configuration applies to the first request too, as in a remote search. */
  readonly appliesToFirst?: boolean
  /** Yield a checkpoint after every page. */
  readonly checkpoints?: boolean
  /** Yield how each request is made, and what each response held. */
  readonly include?: readonly ('plan' | 'body')[] | undefined
  readonly resume?: Resume | undefined
  /** From a `ParkedWait`: the number of the next try of the call that was to be made. */
  readonly firstAttempt?: number
  /** Waits above this many milliseconds throw `ParkedWait`; null: they are slept through, up to `max_wait_ms`. */
  readonly parkAboveMs?: number | null
  readonly signal?: AbortSignal | undefined
  readonly ports: PaginatePorts
}

export interface PaginatePorts {
  readonly sendRequest: SendRequest
  readonly clock: Clock
  readonly random: Random
  readonly sleep: Sleep
  /** Shared by the runs with one credential; absent: the run keeps one for itself. */
  readonly budget?: RateBudget | undefined
  /** Hides secrets in what events show; records stay as they are. */
  readonly redactor: Redactor
  readonly onExchange?: ((exchange: Exchange) => void) | undefined
  readonly send?: Pick<SendOptions, 'timeoutMs' | 'toOwnApi'>
}

/**
 * Fetches all pages of an action and tells everything as it happens. The last event is `done` or
 * `failed`; records come page by page, and nothing of an earlier page is kept.
 *
 * @throws ParkedWait where `parkAboveMs` is given; else only a defect
 */
export function paginate(options: PaginateOptions): AsyncGenerator<PageEvent> {
  return new PaginationRun(options).events()
}

/** A plan that failed: the records of the page before are handed out all the same. */
type Next = Plan | { readonly kind: 'fail'; readonly error: PaginationError }

/** What a page has to tell, and what follows it. */
interface Settled {
  readonly events: readonly PageEvent[]
  readonly next: Next
}

class PaginationRun {
  /** The variable `page` of the call in hand. */
  page = 0
  totalRecords: number
  readonly #options: PaginateOptions
  readonly #ports: PaginatePorts
  readonly #limits: Limits
  readonly #budget: RateBudget
  readonly #startedAt: number
  readonly #warnings: Set<WarningCode>
  readonly #seen: PagesSeen
  readonly #keys: Set<string>
  #position: Position | null
  #firstAttempt: number
  #pages: number
  #emptyPages: number
  /** What follows the call in hand if its page is not the last, where that can be said before its answer. */
  #ahead: Plan | null = null

  constructor(options: PaginateOptions) {
    const { ports, resume } = options
    const checkpoint = resume?.checkpoint
    this.#options = options
    this.#ports = ports
    this.#limits = withDefaultLimits(options.limits)
    this.#budget = ports.budget ?? createRateBudget(ports.clock)
    this.#startedAt = ports.clock.monotonic()
    this.#position = checkpoint ? positionOf(checkpoint) : null
    this.#firstAttempt = options.firstAttempt ?? 1
    this.#warnings = new Set(checkpoint?.warnings)
    this.#seen = new PagesSeen(resume?.fingerprints)
    this.#keys = new Set(resume?.keys)
    this.#pages = checkpoint?.pages ?? 0
    this.#emptyPages = checkpoint?.emptyPages ?? 0
    this.totalRecords = checkpoint?.totalRecords ?? 0
  }

  /**
   * One generator and few inside it: what an event passes on its way out costs more than most of what is told by it.
   */
  async *events(): AsyncGenerator<PageEvent> {
    try {
      const setup = this.#setUp()
      if (setup === null) {
        yield* this.#unpaged(this.#setUpWith([]))
        return
      }

      let next = this.#begin(setup)
      if (next.kind === 'request' && next.call.page === 0) yield* this.#explain(0, next, setup)
      for (;;) {
        if (next.kind === 'fail') throw next.error
        if (next.kind === 'stop') {
          yield this.#done(next.reason)
          return
        }
        const { call, alive } = next
        this.page = call.page
        if (call.page > 0) requireWithin(this.#limits, this.#pages, this.#emptyPages, this.totalRecords)
        const { largePageSize } = call.request
        if (largePageSize !== null) yield* this.#warn('page_size', largePageSize)
        // Pages are read, whatever the method: a POST that searches is tried again like a GET.
        const response: OutgoingResponse | null = yield* this.#send(call, setup, 'read')
        if (response === null) {
          yield this.#done('not_found')
          return
        }
        this.#pages++
        let page: Page
        try {
          page = readPage(call, response, setup)
        } catch (error) {
          yield* this.#answered(call, response, 0, this.totalRecords)
          throw error
        }
        const settled = this.#settle(page, alive, setup)
        for (const event of settled.events) yield event
        next = settled.next
      }
    } catch (error) {
      const failure = toPaginationError(error, { page: this.page, partialCount: this.totalRecords })
      if (failure === null) throw error
      yield failedEvent(failure, this.#ports.redactor)
    }
  }

  /** Null: nothing is paginated. */
  #setUp(): Setup | null {
    const { config, variables, supportsPagination } = this.#options
    if (!supportsPagination || config === null) return null
    return this.#setUpWith(readConfigs(config, Object.keys(variables)))
  }

  #setUpWith(configs: readonly PageConfig[]): Setup {
    const { action, variables, allowedOrigins = [] } = this.#options
    const origins = [...allowedOrigins, ...configs.flatMap((entry) => entry.allowedOrigins)]
    return { action, configs, variables, rules: addressRules(action.baseUrl, action.endpoint, origins) }
  }

  #begin(setup: Setup): Next {
    const { resume, appliesToFirst = false } = this.#options
    if (resume) return planFrom(resume.checkpoint, setup)
    return { kind: 'request', call: firstCall(setup, appliesToFirst), alive: new Set() }
  }

  async *#unpaged(setup: Setup): AsyncGenerator<PageEvent> {
    const call = { page: 0, config: null, context: {}, request: firstRequest(setup) }
    const response = yield* this.#send(call, setup, undefined)
    if (response === null) throw new Error('A first call has no page before it')
    this.#pages = 1
    yield* this.#answered(call, response, 0, 0)
    yield { type: 'output', value: readAnyBody(response) }
    yield this.#done('not_paginated')
  }

  /**
   * Sends with retries; every answer but the good one is told here.
   *
   * @param effect undefined: as the method has it, so that a call that writes is not made twice
   * @returns null where a counted list ends with a 404
   */
  async *#send(
    call: Call,
    setup: Setup,
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
        yield* this.#answered(call, response, 0, this.totalRecords)
        if (!isEndByNotFound(refusal, call)) throw refusal
        yield* this.#warn('ended_by_404')
        return null
      }
      const event = step.value
      if (event.type === 'request') yield requestEvent(call, event.attempt, redactor)
      else if (event.type === 'retry') yield retryEvent(call.page, event, redactor)
      else yield* this.#answered(call, event.response, 0, this.totalRecords)
      const following = attempts.next()
      if (event.type === 'request') this.#ahead = this.#planAhead(call, setup)
      step = await following
    }
  }

  /**
   * While the answer is on its way: the next call of a list whose pages are only counted. Null where an answer has a
   * say in it; nothing is lost then, nor where it fails, for it is planned once more after the page.
   */
  #planAhead({ page }: Call, setup: Setup): Plan | null {
    if (this.#options.include !== undefined || !setup.configs.every(isPlainlyCounted)) return null
    const plan = safely(page, () => planCall(setup, { ...NO_POSITION, page }))
    return plan.kind === 'fail' ? null : plan
  }

  #retryOptions(call: Call, setup: Setup, effect: Effect | undefined): RetryOptions {
    const { sendRequest, clock, random, sleep, onExchange, send } = this.#ports
    const { max_attempts, backoff_base_ms, max_wait_ms, max_redirects } = this.#limits
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
      },
      send: { ...send, trustedOrigins: setup.rules.origins, maxRedirects: max_redirects },
      retryWhen: (response) => isFailure(response, call, setup),
    }
  }

  /** Decides what follows a page, and says what it brought. */
  #settle(page: Page, alive: ReadonlySet<string>, setup: Setup): Settled {
    const { call, response, read, config } = page
    const fresh = withoutKnown(read.records, config?.dedupeBy ?? null, this.#keys)
    const count = this.totalRecords + fresh.records.length
    const position = positionAfter(page, this.#position, count, alive, setup)
    this.#position = position
    const ahead = this.#ahead
    let next = safely(call.page, () => planNext(page, setup, position, ahead))

    const fingerprint = fingerprintOf(page, next.kind === 'request' ? next.call : null)
    const progress = fingerprint === null ? 'new' : this.#seen.add(fingerprint, read.unfiltered)
    if (progress !== 'new') {
      const events = this.#answered(call, response, read.records.length, this.totalRecords, page)
      if (progress === 'loop') return { events, next: { kind: 'fail', error: goesInCircles(call.page) } }
      events.push(...this.#warn('repeated_page'))
      return { events, next: { kind: 'stop', reason: 'repeated_page' } }
    }

    const wish = (this.#options.maxRecords ?? Infinity) - this.totalRecords
    const records = fresh.records.length > wish ? fresh.records.slice(0, wish) : fresh.records
    this.totalRecords += records.length
    this.#emptyPages = read.found === 'empty' || read.found === 'missing' ? this.#emptyPages + 1 : 0
    const events = this.#answered(call, response, read.records.length, this.totalRecords, page)
    if (read.found === 'single') events.push(...this.#warn('not_a_list'))
    if (read.found === 'missing' && call.page === 0) events.push(...this.#warn('jsonpath_no_match'))
    if (records.length > 0) events.push({ type: 'records', page: call.page, records })
    events.push(...this.#explain(call.page + 1, next, setup))

    const cut = this.#wishReached(config, records.length < fresh.records.length, next)
    if (cut !== null) {
      events.push(...this.#warn('cut_by_max_pages', cut))
      next = { kind: 'stop', reason: 'cut_by_max_pages' }
    }
    if (next.kind === 'stop' && next.reason === 'no_config_matched')
      events.push(...this.#warn('no_config_matched'))
    if (this.#options.checkpoints === true) {
      const progress = {
        pages: this.#pages,
        totalRecords: this.totalRecords,
        emptyPages: this.#emptyPages,
        stopReason: next.kind === 'stop' ? next.reason : null,
        warnings: [...this.#warnings],
        fingerprint,
        keys: fresh.keys,
      }
      events.push({ type: 'checkpoint', checkpoint: checkpointAt(position, progress, setup) })
    }
    if (this.totalRecords > this.#limits.max_records)
      next = { kind: 'fail', error: tooManyRecords(this.#limits.max_records) }
    return { events, next }
  }

  /** An answer, good or not; with its page where that could be read. */
  #answered(
    call: Call,
    response: OutgoingResponse,
    records: number,
    totalRecords: number,
    page?: Page,
  ): PageEvent[] {
    const { redactor } = this.#ports
    const event = responseEvent(call.page, response, records, totalRecords, redactor)
    if (!this.#options.include?.includes('body')) return [event]
    return [event, bodyEvent(call.page, response, page === undefined ? NOWHERE : placesIn(page), redactor)]
  }

  /** How the request of a page is made. */
  #explain(page: number, next: Next, setup: Setup): PageEvent[] {
    if (!this.#options.include?.includes('plan') || next.kind === 'fail') return []
    const context = next.kind === 'request' ? next.call.context : contextFor(page, setup, this.#position)
    const isPlain = next.kind === 'request' && next.call.config === null
    const explanation = explainCall(isPlain ? [] : setup.configs, context, page === 0)
    return [planEvent(page, next, explanation, this.#ports.redactor)]
  }

  /** Which wish the list is cut by, in words; null where none is reached or the list has ended by itself. */
  #wishReached(config: PageConfig | null, wasCut: boolean, next: Next): string | null {
    const { maxRecords, maxPages = Infinity } = this.#options
    if (wasCut) return `max_records = ${maxRecords}`
    if (next.kind === 'stop') return null
    if (maxRecords !== undefined && this.totalRecords >= maxRecords) return `max_records = ${maxRecords}`
    const pages = Math.min(maxPages, config?.maxPages ?? Infinity)
    return this.#pages >= pages ? `max_pages = ${pages}` : null
  }

  #warn(code: WarningCode, detail?: string): PageEvent[] {
    if (this.#warnings.has(code)) return []
    this.#warnings.add(code)
    return [warningEvent(this.page, code, detail)]
  }

  #done(reason: StopReason): PageEvent {
    const durationMs = this.#ports.clock.monotonic() - this.#startedAt
    return doneEvent(this.#pages, this.totalRecords, reason, this.#warnings, durationMs)
  }
}

/** On resuming: what would have followed the page that was stored last. */
function planFrom(checkpoint: Checkpoint, setup: Setup): Next {
  const { stopReason } = checkpoint
  if (stopReason !== null) return { kind: 'stop', reason: stopReason }
  return safely(checkpoint.page, () => planCall(setup, positionOf(checkpoint)))
}

function safely(page: number, plan: () => Plan): Next {
  try {
    return plan()
  } catch (error) {
    const failure = toPaginationError(error, { page: page + 1 })
    if (failure === null) throw error
    return { kind: 'fail', error: failure }
  }
}

/** 404 after the last page of a counted list says that there is no such page. */
function isEndByNotFound(error: unknown, { page, config }: Call): boolean {
  const isNotFound = error instanceof RequestError && error.code === 'http_error' && error.status === 404
  return isNotFound && page > 0 && config?.readsResponse === false
}

/** Whether the next call is made of nothing but its number and what is the same for the whole run. */
function isPlainlyCounted({ names, endpoint }: PageConfig): boolean {
  return endpoint === null && !RESULTS_OF_PAGES.some((name) => names.has(name))
}

const RESULTS_OF_PAGES = [
  'previous_request',
  'previous_request_headers',
  'links',
  'count',
  'last_record',
  'now',
]

const NO_POSITION: Position = {
  page: 0,
  previous: { address: '', body: null, headers: [] },
  count: 0,
  lastRecord: null,
  alive: new Set(),
}

function goesInCircles(page: number): PaginationError {
  return new PaginationError(
    'pagination_loop',
    `Page ${page} is equal to an older one: the API goes in circles, so the list cannot be complete. Check what the configuration sends as cursor or page`,
    { page },
  )
}
