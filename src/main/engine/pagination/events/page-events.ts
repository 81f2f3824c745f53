import { SAID, say, type Said, spoken } from '../../../../shared/contract/base/message.ts'
import type { Completeness, StopReason } from '../../../../shared/contract/pagination.ts'
import { redactSpoken } from '../../redaction/redacted-value.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { DataMap } from '@millrace/jinja/data'
import type { OutgoingResponse } from '../../ports.ts'
import { headerRecord } from '../../request/headers.ts'
import type { AttemptEvent } from '../../request/send-with-retry.ts'
import type { BodyEvent, PageEvent, PlanEvent } from './events.ts'
import type { Explanation } from './explain-call.ts'
import type { PaginationError } from '../model/pagination-error.ts'
import type { PagePlan } from '../plan/plan.ts'
import { NOWHERE } from '../response/records.ts'
import { shownBody } from '../../request/body.ts'
import { decodeText } from '../../request/response-json.ts'
import type { PageCall, RecordPlaces, WarningCode } from '../model/page-run.ts'

type Event<T extends PageEvent['type']> = Extract<PageEvent, { type: T }>

/** Builds the details only when they are read, because a flow that fetches thousands of pages reads none of them. */
export function requestEvent(
  { page, config, request }: PageCall,
  attempt: number,
  redactor: Redactor,
): Event<'request'> {
  return {
    type: 'request',
    page,
    attempt,
    method: request.method,
    get url() {
      return redactor.redactText(request.url)
    },
    get headers() {
      return redactor.redactHeaders(headerRecord(request.headers))
    },
    get body() {
      return redactor.redactData(shownBody(request.body))
    },
    config_index: config?.index ?? null,
  }
}

export function responseEvent(
  page: number,
  { status, headers, durationMs, wireBytes }: OutgoingResponse,
  records: number,
  totalRecords: number,
  redactor: Redactor,
): Event<'response'> {
  return {
    type: 'response',
    page,
    status,
    get headers() {
      return redactor.redactHeaders(headerRecord(headers))
    },
    duration_ms: round(durationMs),
    bytes: wireBytes,
    records,
    total_records: totalRecords,
  }
}

/** The body of a response, truncated if it is long. */
export function bodyEvent(
  page: number,
  response: OutgoingResponse,
  places: RecordPlaces,
  redactor: Redactor,
): BodyEvent {
  const text = redactor.redactText(decodeText(response))
  const truncated = text.length > SHOWN_CHARACTERS
  return {
    type: 'body',
    page,
    text: truncated ? text.slice(0, SHOWN_CHARACTERS) : text,
    truncated,
    ...(truncated ? NOWHERE : places),
  }
}

const SHOWN_CHARACTERS = 1_000_000

export function planEvent(
  page: number,
  next: PagePlan,
  { conditions, templates, variables }: Explanation,
  redactor: Redactor,
): PlanEvent {
  const call = next.kind === 'request' ? next.call : null
  return {
    type: 'plan',
    page,
    config_index: call?.config?.index ?? null,
    conditions,
    templates: redactor.redactData(templates) as PlanEvent['templates'],
    variables: redactor.redactData(variables) as DataMap,
    request: call && {
      method: call.request.method,
      url: redactor.redactText(call.request.url),
      headers: redactor.redactHeaders(headerRecord(call.request.headers)),
      body: redactor.redactData(shownBody(call.request.body)),
    },
    stop_reason: next.kind === 'stop' ? next.reason : null,
  }
}

export function retryEvent(
  page: number,
  { attempt, reason, waitMs }: Extract<AttemptEvent, { type: 'retry' }>,
  redactor: Redactor,
): Event<'retry'> {
  const { message, [SAID]: said } = redactSpoken(spoken(reason), redactor)
  return { type: 'retry', page, attempt, reason: message, [SAID]: said, wait_ms: Math.ceil(waitMs) }
}

export function warningEvent(
  page: number,
  code: WarningCode,
  inDoubt: boolean,
  detail: string | Said,
  redactor: Redactor,
): Event<'warning'> {
  const spokenWarning = redactSpoken(spoken(WARNINGS[code](detail)), redactor)
  return { type: 'warning', page, code, ...spokenWarning, ...(inDoubt ? { in_doubt: true } : {}) }
}

export function doneEvent(
  pages: number,
  totalRecords: number,
  stopReason: StopReason,
  complete: Completeness,
  announced: number | null,
  warnings: Iterable<WarningCode>,
  durationMs: number,
): Event<'done'> {
  return {
    type: 'done',
    pages,
    total_records: totalRecords,
    stop_reason: stopReason,
    complete,
    ...(announced === null ? {} : { announced_total: announced }),
    warnings: [...warnings],
    duration_ms: round(durationMs),
  }
}

export function failedEvent(error: PaginationError, redactor: Redactor): Event<'failed'> {
  const { code, details } = error
  const { page, status, partialCount, field, line, column } = details
  const known = Object.entries({ page, status, partial_count: partialCount, field, line, column })
  return {
    type: 'failed',
    error: {
      code,
      ...redactSpoken(spoken(error[SAID]), redactor),
      ...Object.fromEntries(known.filter(([, value]) => value !== undefined)),
    },
  }
}

/** The warnings by code. Some include the detail by which they were detected. */
const WARNINGS: Readonly<Record<WarningCode, (detail: string | Said) => Said>> = {
  no_config_matched: () => say('No configuration matched ("when"), so only the first page was read'),
  ended_by_404: () =>
    say('The API returned 404 after the last page, which was treated as the end of the list'),
  repeated_page: () =>
    say('The API repeated the previous page; it was dropped and treated as the end of the list'),
  page_size: (detail) =>
    say(
      '{{detail}} asks for more than 100 records per page, the usual limit; check whether this API allows more',
      { detail },
    ),
  cut_by_max_pages: (detail) =>
    say('The list was limited as requested ({{detail}}); there may be more records', { detail }),
  not_a_list: (detail) =>
    say(
      'The response isn\'t a list but a single value; point "response_jsonpath" to the list in it{{detail}}',
      { detail },
    ),
  jsonpath_no_match: (detail) =>
    say('"response_jsonpath" matched nothing in the first response{{detail}}', { detail }),
  cursor_missing: () =>
    say('The last response lacks what the next request needs, which was treated as the end of the list'),
  nothing_new: () =>
    say(
      'A page had only records that "dedupe_by" had already seen, which was treated as the end of the list',
    ),
  cursor_never_seen: (path) =>
    say(
      'The list ended after its first page because the response has no {{path}}. If the API leaves it out when there is a single page, set "cursor_may_be_absent"',
      { path },
    ),
  first_page_again: () =>
    say(
      'The API returned the first page again, so it probably ignores what the configuration sends; the page was dropped. Check the name of the parameter',
    ),
  more_announced: (rest) => say('The list has ended, but {{rest}}', { rest }),
  list_missing: (response) =>
    say(
      'A page has no list where the pages before it had one; its response: {{response}}. If the API leaves out an empty list, set "list_may_be_absent"',
      { response },
    ),
  partial_page: (reason) =>
    say('A page shows that some of its records may be missing: {{reason}}', { reason }),
  previous_page_again: () =>
    say(
      'A page has the same records as an earlier one, although its cursor is different; some records may be duplicated, and others missing',
    ),
  upgraded_link: () => say("A link with http was followed with https, like the API's URL"),
}

/** Rounds to microseconds, which are precise enough and easy to read. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
