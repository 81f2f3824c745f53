import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import type { StopReason } from '../../../../shared/contract/pagination.ts'
import { evaluateCondition, TemplateError } from '@millrace/jinja'
import { selectConfig } from '../config/select-config.ts'
import { type PageConfig, RENDER_OPTIONS, readsResponse } from '../model/page-config.ts'
import type {
  FetchedPage,
  PageCall,
  PagePosition,
  PaginationSetup,
  WarningCode,
  UsedValue,
} from '../model/page-run.ts'
import { inFieldOf, PaginationError, toPaginationError } from '../model/pagination-error.ts'
import { conditionContext, contextFor } from '../request/context.ts'
import { firstRequest, nextRequest } from '../request/next-request.ts'
import { type Checkpoint, positionOf } from './checkpoint.ts'
import { type Data, isDictionary, isList, keysOf } from '@millrace/jinja/data'

/** What follows a page. */
export type PagePlan =
  | { readonly kind: 'request'; readonly call: PageCall; readonly liveCursors: ReadonlySet<string> }
  | {
      readonly kind: 'stop'
      readonly reason: StopReason
      readonly warning?: WarningCode
      readonly isWish?: boolean
    }

/** The first call of a run: the action's own, unless the configuration applies to it too. */
export function firstCall(setup: PaginationSetup, appliesToFirst: boolean): PageCall {
  const context = contextFor(0, setup, null)
  const own: PageCall = { page: 0, config: null, context, request: firstRequest(setup) }
  if (!appliesToFirst && !setup.configs.some(({ firstRequest }) => firstRequest)) return own
  const config = selectConfig(setup.configs, conditionContext(context, undefined))
  if (!config || !(appliesToFirst || config.firstRequest)) return own
  return { ...own, config, request: nextRequest(config, context, null, setup) ?? own.request }
}

/**
 * Decides what follows a page: the next call, or the end of the list.
 *
 * @param ahead the result of `planAhead`, if it didn't depend on the page
 */
export function planNext(
  page: FetchedPage,
  setup: PaginationSetup,
  position: PagePosition,
  ahead: PagePlan | null,
): PagePlan {
  const reason = endOfPage(page)
  return reason === null ? (ahead ?? planCall(setup, position)) : { kind: 'stop', reason }
}

/** The next call after a page that doesn't end the list by itself. */
export function planCall(setup: PaginationSetup, position: PagePosition): PagePlan {
  const number = position.page + 1
  const context = contextFor(number, setup, position)
  const conditions = conditionContext(context, position.previous.status)
  const config = selectConfig(setup.configs, conditions)
  if (config === null) return { kind: 'stop', reason: 'no_config_matched' }
  const { stopWhen } = config
  if (
    stopWhen !== null &&
    inFieldOf(config.fieldOf('stop_when'), () => evaluateCondition(stopWhen, conditions, RENDER_OPTIONS))
  ) {
    // A condition that reads nothing from the response only limits how much of the list is wanted.
    return { ...NO_NEXT, isWish: !/\b(?:previous_request|links)\b/.test(stopWhen) }
  }
  let request
  try {
    request = nextRequest(config, context, position.previous, setup)
  } catch (error) {
    if (!isMissingCursor(error)) throw error
    if (renderedBefore(error, config, position)) return { ...NO_NEXT, warning: 'cursor_missing' }
    throw withHint(error)
  }
  if (request === null) return NO_NEXT
  const liveCursors = followCursors(request.usedValues, position.liveCursors)
  if (liveCursors === null) return NO_NEXT
  return { kind: 'request', call: { page: number, config, context, request }, liveCursors }
}

const NO_NEXT = { kind: 'stop', reason: 'no_next' } as const satisfies PagePlan

/** A value computed from the response failed because the response lacks a part of it. */
function isMissingCursor(error: unknown): error is PaginationError {
  return (
    error instanceof PaginationError &&
    error.cause instanceof TemplateError &&
    (error.cause.kind === 'undefined' || /\bundefined\b|'None'|None has no/.test(error.cause.message))
  )
}

/**
 * Whether the field rendered a live cursor in this run, which means that the last page lacks a value that was there
 * before.
 */
function renderedBefore({ details }: PaginationError, config: PageConfig, position: PagePosition): boolean {
  const { field = '' } = details
  const key = FIELDS.find((name) => field.startsWith(config.fieldOf(name)))
  if (key === undefined || !config.readsResponse) return false
  return [...position.liveCursors].some((place) => place.startsWith(`${config.index}.${key}:`))
}

const FIELDS = ['query', 'body', 'raw_body', 'header', 'endpoint'] as const

function withHint(error: PaginationError): PaginationError {
  return new PaginationError(
    error.code,
    say('{{error}}. Guard it with "if … is defined"; for a Link header, links.next needs no guard', {
      error: sentenceOf(error),
    }),
    { ...error.details, cause: error.cause },
  )
}

/** A counted list ends with the first empty page; a list with a cursor continues as long as the cursor is alive. */
function endOfPage({ config, read }: FetchedPage): StopReason | null {
  if (config === null) return 'no_config_matched'
  if (read.found === 'single') return 'not_paginated'
  const isEmpty = read.found === 'missing' || read.found === 'empty'
  return isEmpty && !config.readsResponse ? 'no_records' : null
}

/** `fail` means that planning failed, but the records of the previous page are still delivered. */
export type PagePlanOutcome = PagePlan | { readonly kind: 'fail'; readonly error: PaginationError }

/** Plans, on resuming, what would have followed the last stored page. */
export function planFromCheckpoint(checkpoint: Checkpoint, setup: PaginationSetup): PagePlanOutcome {
  const { stopReason } = checkpoint
  if (stopReason !== null) return { kind: 'stop', reason: stopReason }
  return planOrFail(checkpoint.page, () => planCall(setup, positionOf(checkpoint)))
}

/** @param page the page after which the plan is made */
export function planOrFail(page: number, plan: () => PagePlan): PagePlanOutcome {
  try {
    return plan()
  } catch (error) {
    const failure = toPaginationError(error, { page: page + 1 })
    if (failure === null) throw error
    return { kind: 'fail', error: failure }
  }
}

/**
 * Plans the next call of a counted list before the response arrives. Null if it depends on the response, or if planning
 * fails, in which case it is planned again after the page.
 */
export function planAhead(page: number, setup: PaginationSetup): PagePlan | null {
  if (!setup.configs.every(isPlainlyCounted)) return null
  const plan = planOrFail(page, () => planCall(setup, { ...NO_POSITION, page }))
  return plan.kind === 'fail' ? null : plan
}

/** Whether the next call depends only on the page number and values that are constant for the run. */
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
  'status',
]

const NO_POSITION: PagePosition = {
  page: 0,
  previous: { address: '', body: null, headers: [], status: 200 },
  count: 0,
  lastRecord: null,
  liveCursors: new Set(),
}

/**
 * Whether the cursors of the next request mean that the list has ended: all of them are dead, or one that was alive in
 * this run is dead now. A cursor that was never alive is an optional value.
 *
 * @param liveCursors places where a live cursor was rendered so far
 * @returns those places plus the ones of this request; null at the end of the list
 */
function followCursors(
  usedValues: readonly UsedValue[],
  liveCursors: ReadonlySet<string>,
): ReadonlySet<string> | null {
  const living = new Map<string, boolean>()
  for (const { place, names, value } of usedValues) {
    if (!readsResponse(names)) continue
    // A place inside a {% for %} has several values.
    living.set(place, living.get(place) === true || isAlive(value))
  }
  if (living.size === 0) return liveCursors
  const places = [...living]
  if (places.every(([, lives]) => !lives)) return null
  if (places.some(([place, lives]) => !lives && liveCursors.has(place))) return null
  return new Set([...liveCursors, ...places.filter(([, lives]) => lives).map(([place]) => place)])
}

/** 0 is alive, because it is the first offset of many APIs. `{}` and `[]` are how PHP and DynamoDB write "nothing". */
function isAlive(value: Data | undefined): boolean {
  if (value === undefined || value === null || value === false) return false
  if (isList(value)) return value.length > 0
  if (isDictionary(value)) return keysOf(value).length > 0
  return typeof value !== 'string' || value.trim() !== ''
}
