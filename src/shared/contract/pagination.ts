import { doc } from './base/doc.ts'
import { z } from 'zod'
import { connectorCallPatch, unsavedAction } from './action-drafts.ts'
import { idParams, json, jsonObject, text } from './base/common.ts'
import { paginationConfigEntry, WHEN_IN_DOUBT } from './base/pagination-config.ts'
import { can, defineRoute, defineStream } from './base/route.ts'

/** Safety limits. Reaching one is an error that keeps the records read so far. */
export const paginationLimits = z.strictObject({
  max_pages: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'Pages to read before the list fails with `page_limit`. Default: the program setting `pagination_max_pages`.',
    ),
  max_empty_pages: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe(
      'How many empty pages in a row the list may have before it fails with `stalled`. Defaults to the setting `pagination_max_empty_pages`.',
    ),
  max_records: z
    .int()
    .min(1)
    .optional()
    .describe('Records to read before the list fails. Default: unlimited.'),
  max_attempts: z
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe('Attempts per page, the first one included. Default: 5.'),
  backoff_base_ms: z
    .number()
    .min(0)
    .max(60_000)
    .optional()
    .describe('First pause between attempts, in milliseconds; it doubles each time. Default: 1000.'),
  max_wait_ms: z
    .number()
    .min(0)
    .max(86_400_000)
    .optional()
    .describe('Longest pause that a `Retry-After` header can ask for, in milliseconds. Default: 600000.'),
  max_redirects: z.int().min(0).max(20).optional().describe('Redirects to follow per request. Default: 20.'),
  rate_limit_patience_ms: z
    .number()
    .min(0)
    .max(86_400_000)
    .optional()
    .describe(
      'How long a 429 without `Retry-After` is repeated, in milliseconds. Ignored if `max_attempts` is given. Default: 120000.',
    ),
})
export type PaginationLimits = z.output<typeof paginationLimits>

export const PAGINATION_ERROR_CODES = [
  'config_invalid',
  'template_error',
  'not_a_dictionary',
  'jsonpath_error',
  'http_error',
  'rate_limited',
  'response_not_json',
  'cross_origin_link',
  'too_many_redirects',
  'pagination_loop',
  'page_limit',
  'stalled',
  'response_too_large',
  'timeout',
  'cancelled',
  'body_not_mergeable',
  'error_in_answer',
  'list_in_doubt',
] as const
export type PaginationErrorCode = (typeof PAGINATION_ERROR_CODES)[number]

export const STOP_REASONS = [
  'no_records',
  'no_next',
  'repeated_page',
  'not_found',
  'not_paginated',
  'no_config_matched',
  'cut_by_max_pages',
  'ended_by_status',
  'nothing_new',
] as const
export type StopReason = (typeof STOP_REASONS)[number]

export type Completeness = z.output<typeof completeness>

/** Whether a list has all its records. */
export const completeness = z
  .union([z.boolean(), z.literal('in_doubt')])
  .describe(
    'Whether the list is complete: `false` if it was cut as requested, `"in_doubt"` if something says that records may be missing.',
  )
  .meta({ examples: [true] })

const page = z.int().min(0)
const headers = z.record(z.string(), z.string())
const keysDown = z.array(z.union([z.string(), z.int()]))

/** The value that one `{{ … }}` inserted into a template. */
export const takenValue = z.object({
  source: z.string().describe('The expression as written, such as `previous_request.next`.'),
  value: json.nullable().describe('What the expression returned. Null also if it is missing.'),
  missing: z.boolean().describe('True if the expression led to nothing.'),
})

/** One template of a configuration and its rendered value. */
export const renderedTemplate = z.object({
  field: z.string().describe('Name of the field: `query`, or `[1].query` in a list of configurations.'),
  source: json.describe('The template before rendering.'),
  value: json.nullable().describe('The rendered value. Null if the template renders to nothing.'),
  taken: z.array(takenValue).describe('Every value that was inserted into the template.'),
})

/** Events that a test only reports if the body requests them with `include`. */
const paginationDetails = [
  /** How this page's request is built, or why there is none. Reported before it is sent. */
  z.object({
    type: z
      .literal('plan')
      .describe(
        "A plan: how the request of this page is made, or why there isn't one. Sent if `include` has `plan`.",
      ),
    page: page.describe('Number of the page, from 0.'),
    config_index: z
      .int()
      .nullable()
      .meta(doc('Position of the configuration used, from 0. Null if none is used.', 0)),
    conditions: z
      .array(
        z.object({
          config_index: z.int().describe('Position of the configuration in the list, from 0.'),
          when: z.string().describe('The condition as written.'),
          holds: z.boolean().describe('True if the condition is met.'),
        }),
      )
      .meta(doc('The `when` conditions that were evaluated, in order. The first true one is the last.', [])),
    templates: z
      .array(renderedTemplate)
      .meta(doc("The configuration's templates with the values they rendered to.", [])),
    variables: z
      .record(z.string(), json)
      .describe('Values of `page`, `endpoint`, `count`, `last_record` and `links` at this page.')
      .meta({ examples: [{ page: 1, endpoint: '/orders' }] }),
    request: z
      .object({
        method: z.string().meta(doc('HTTP method of the request.', 'GET')),
        url: z.string().describe('Full URL of the request, query included.'),
        headers: headers.meta(doc('Request headers by name.', { accept: 'application/json' })),
        body: json.nullable().meta(doc('Request body. Null if there is none.', null)),
      })
      .nullable()
      .describe('The request that will be sent. Null if the list ends here.'),
    stop_reason: z
      .enum(STOP_REASONS)
      .nullable()
      .meta(doc('Why the list ends. Null if there is a request.', null)),
  }),
  /** The content of the previous response. */
  z.object({
    type: z.literal('body').describe('The body of the response. Sent if `include` has `body`.'),
    page: page.describe('Number of the page, from 0.'),
    text: z.string().describe('The response body as text, at most 1,000,000 characters.'),
    truncated: z.boolean().describe('True if the text was cut.'),
    lists: z
      .array(keysDown)
      .describe('Paths of the lists whose elements became records. Empty if the text was cut.'),
    records: z.array(keysDown).describe('Paths of single values that became records.'),
  }),
] as const

/** Events of a test that can be paused. */
const paginationPauses = [
  z.object({
    type: z
      .literal('started')
      .describe('The test has started and can be paused. Sent if the request has `pause_after`.'),
    id: z.string().describe('ID of the test, for `POST /v1/pagination-tests/{id}/continue`.'),
  }),
  /** Neither this page's request nor later ones are sent until the test is continued. */
  z.object({
    type: z.literal('paused').describe('The test is paused before this page, until it is continued.'),
    page: page.describe('Number of the page that comes next, from 0.'),
  }),
] as const

export const paginationEvent = z.discriminatedUnion('type', [
  ...paginationDetails,
  ...paginationPauses,
  z.object({
    type: z.literal('request').describe('A request that is about to be sent.'),
    page: page.describe('Number of the page, from 0.'),
    attempt: z.int().describe('Number of the attempt, counted from 1.'),
    method: z.string().describe('HTTP method of the request.'),
    url: z.string().describe('Full URL of the request, query included. Secrets read `***`.'),
    headers: headers.describe('Request headers by name. Secrets read `***`.'),
    body: json.nullable().describe('Request body. Null if there is none.'),
    config_index: z
      .int()
      .nullable()
      .describe('Position of the configuration used, from 0. Null for the first request.'),
  }),
  z.object({
    type: z.literal('response').describe('A response that has arrived.'),
    page: page.describe('Number of the page, from 0.'),
    status: z.int().describe('HTTP status code of the response.'),
    headers: headers.describe('Response headers by name.'),
    duration_ms: z.number().describe('Time until the whole response had arrived, in milliseconds.'),
    bytes: z.int().describe('Size of the response body in bytes.'),
    records: z.int().describe('Records on this page.'),
    total_records: z.int().describe('Records read so far, this page included.'),
  }),
  z.object({
    type: z.literal('retry').describe('A failed call that will be repeated.'),
    page: page.describe('Number of the page, from 0.'),
    attempt: z.int().describe('Number of the attempt that failed, counted from 1.'),
    reason: z.string().describe('Why the call failed.'),
    wait_ms: z.number().describe('Pause before the next attempt, in milliseconds.'),
  }),
  /**
   * A warning with a field is about the configuration. It is found before the first request, and not included
   * in `done`'s count.
   */
  z.object({
    type: z
      .literal('warning')
      .describe(
        'A warning. One with a `field` is about the configuration and comes before the first request.',
      ),
    page: page.describe('Number of the page, from 0.'),
    code: z.string().describe('Machine-readable code, such as `repeated_page`.'),
    message: z.string().describe('A remark, in a sentence.'),
    in_doubt: z
      .literal(true)
      .optional()
      .describe('True if the warning means that the list may be incomplete. Otherwise absent.'),
    field: z
      .string()
      .optional()
      .describe('Field of the configuration. Absent if the warning is about the list.'),
    line: z.int().optional().describe('Line inside the field, counted from 1.'),
    column: z.int().optional().describe('Column inside that line, counted from 1.'),
  }),
  z.object({
    type: z.literal('records').describe('Records that were read.'),
    page: page.describe('Number of the page, from 0.'),
    records: z.array(json).describe('The records of this page.'),
    choices: z
      .array(
        z.object({
          value: json.describe('The value to store.'),
          label: z.string().describe('The text to show.'),
        }),
      )
      .optional()
      .describe('What a form would offer of these records. Sent if the request has `q`.'),
  }),
  z.object({
    type: z.literal('output').describe("The result of an action that isn't paginated."),
    value: json.describe('The response body.'),
  }),
  z.object({
    type: z.literal('done').describe('The list has ended. This is the last event.'),
    pages: z.int().describe('How many pages were read.'),
    total_records: z.int().describe('How many records were read.'),
    stop_reason: z.enum(STOP_REASONS).describe('Why the list ended.'),
    complete: completeness,
    announced_total: z
      .int()
      .optional()
      .describe('How many records the API says the list has. Absent if it says nothing that can be trusted.'),
    warnings: z.array(z.string()).describe('Codes of the warnings about the list.'),
    duration_ms: z.number().describe('Time of the whole test, in milliseconds.'),
  }),
  z.object({
    type: z.literal('failed').describe("The list couldn't be read to its end. This is the last event."),
    error: z
      .object({
        code: z
          .enum(PAGINATION_ERROR_CODES)
          .describe('Machine-readable code from the table of pagination errors.'),
        message: z.string().describe('What went wrong, with which value, and what to do.'),
        page: z.int().optional().describe('Number of the page that failed, from 0.'),
        status: z.int().optional().describe('HTTP status of the response, if one arrived.'),
        partial_count: z.int().optional().describe('How many records were read before the error.'),
        field: z.string().optional().describe('Field of the configuration that caused the error.'),
        line: z.int().optional().describe('Line inside the field, counted from 1.'),
        column: z.int().optional().describe('Column inside that line, counted from 1.'),
      })
      .describe('What went wrong.'),
  }),
])
export type PaginationEvent = z.output<typeof paginationEvent>

const wishes = {
  max_pages: z
    .int()
    .min(1)
    .optional()
    .describe('Stop after this many pages. The test succeeds with the warning `cut_by_max_pages`.'),
  max_records: z
    .int()
    .min(1)
    .optional()
    .describe('Stop after this many records. The test succeeds with the warning `cut_by_max_pages`.'),
  limits: paginationLimits
    .optional()
    .describe('Safety limits. Reaching one is an error that keeps the records read.'),
  when_in_doubt: z
    .enum(WHEN_IN_DOUBT)
    .optional()
    .describe('`fail` ends a list that may be incomplete with the error `list_in_doubt`. Default: `warn`.'),
  include: z
    .array(z.enum(['plan', 'body']))
    .optional()
    .describe(
      'Further events to send: `plan` shows how each request is made, `body` what each response contains.',
    ),
  pause_after: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .describe(
      'Makes the test pausable and pauses it after this many pages. If null, it is paused only when you ask for it.',
    ),
}

/** The call to test: a connector's action, or a request that was entered manually. */
const actionCall = {
  connector_id: text(200).describe('ID of the connector whose action is called.'),
  action: text(100).describe('Name of the action to call.'),
  auth_id: text(200)
    .optional()
    .describe('ID of the connector auth whose credentials are used. Defaults to none.'),
  input: jsonObject.optional().describe("Values of the action's form fields."),
  q: text(1_000)
    .optional()
    .describe(
      'Text to search for. The configuration is then a `search_config`, which applies to the first request too.',
    ),
  draft: unsavedAction
    .optional()
    .describe('The action to call instead of the stored one, which does not have to exist.'),
  connector: connectorCallPatch.optional(),
}
const typedCall = {
  request: z
    .strictObject({
      base_url: text(4_000).describe('Base URL, such as `https://api.example.com`.'),
      endpoint: text(4_000).describe('Path appended to the base URL.'),
      method: text(20).optional().describe('HTTP method. Default: `GET`.'),
      query: jsonObject.optional().describe('Query parameters by name.'),
      headers: jsonObject.optional().describe('Request headers by name.'),
      body: json.optional().describe('Request body, sent as JSON. Defaults to none.'),
      supports_automatic_pagination: z
        .boolean()
        .optional()
        .describe('False sends only this one request. Default: true.'),
    })
    .describe("The request to send, instead of a connector's action."),
  auth_id: text(200)
    .optional()
    .describe('ID of the connector auth whose credentials are sent, as by a `rest` step. Defaults to none.'),
}

export const paginationTestBody = z.union([
  z.strictObject({
    ...actionCall,
    pagination_config: json
      .optional()
      .describe("The configuration to test. Defaults to the connector's own."),
    ...wishes,
  }),
  z.strictObject({
    ...typedCall,
    pagination_config: json
      .optional()
      .describe('The configuration to test. If absent, the response is read as it is.'),
    ...wishes,
  }),
])
export type PaginationTestBody = z.output<typeof paginationTestBody>

/** A configuration rejected before any request also returns a `failed` event. */
export const testPaginationRoute = defineStream({
  method: 'POST',
  path: '/v1/pagination-tests',
  name: 'test_pagination',
  summary: 'Test a pagination configuration, and stream its events page by page',
  access: can('connectors', 'create'),
  chosen: 'free',
  body: paginationTestBody,
  event: paginationEvent,
})

export const continuePaginationTestRoute = defineRoute({
  method: 'POST',
  path: '/v1/pagination-tests/:id/continue',
  summary: 'Continue a paused pagination test, or pause a running one',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 204,
  params: idParams,
  /** The number of pages to fetch before pausing again. 0 pauses before the next one; null fetches all. */
  body: z.strictObject({
    pages: z
      .int()
      .min(0)
      .nullable()
      .describe('How many more pages to read: 0 pauses before the next page, null reads all of them.'),
  }),
})

export const configProblem = z.object({
  severity: z
    .enum(['error', 'warning', 'hint'])
    .describe(
      '`error` prevents saving and running; `warning` is probably not intended; `hint` is worth a look.',
    ),
  code: z.string().describe('Machine-readable code of the problem.'),
  message: z.string().describe('What is wrong and what to write instead.'),
  field: z
    .string()
    .describe(
      'Path of the field: `query`, `query.cursor`, `[1].query`. Empty means the whole configuration.',
    ),
  line: z.int().nullable().describe('Line inside the field, counted from 1. Null if unknown.'),
  column: z.int().nullable().describe('Column inside that line, counted from 1. Null if unknown.'),
})
export type ConfigProblem = z.output<typeof configProblem>

export const checkPaginationRoute = defineRoute({
  method: 'POST',
  path: '/v1/pagination-tests/checks',
  name: 'check_pagination',
  summary: 'Check a pagination configuration without sending anything',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 200,
  body: z.strictObject({
    pagination_config: json
      .describe('The configuration to check: an object, or a list of them.')
      .meta({ examples: [{ query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders' }] }),
    input_names: z
      .array(text(200))
      .max(200)
      .optional()
      .describe("Names of the action's form fields, which templates can read too."),
  }),
  result: z.object({
    problems: z
      .array(configProblem)
      .meta(doc('What was found, in the order of the configuration. Empty if it is fine.', [])),
  }),
})

export const PAGINATION_STYLES = [
  'link_header',
  'next_address',
  'cursor',
  'last_record',
  'page_number',
  'offset',
] as const
export type PaginationStyle = (typeof PAGINATION_STYLES)[number]

export const SECOND_PAGES = ['new_records', 'same_records', 'no_records', 'failed'] as const

export const paginationSuggestion = z.object({
  style: z.enum(PAGINATION_STYLES).meta(doc('How the API paginates.', 'page_number')),
  reason: z
    .string()
    .describe('A sentence that names the key or header that shows it, with its value.')
    .meta({ examples: ['"total_pages" is 7'] }),
  config: paginationConfigEntry
    .describe('The configuration to use.')
    .meta({ examples: [{ query: '{"page": {{ page + 1 }}}', response_jsonpath: '$.orders' }] }),
  confidence: z.enum(['high', 'medium', 'low']).describe('How likely the suggestion is right.'),
  second_page: z
    .enum(SECOND_PAGES)
    .optional()
    .describe(
      "Result of requesting the second page. Only `new_records` proves that the configuration works. Absent if it wasn't requested.",
    ),
})
export type PaginationSuggestion = z.output<typeof paginationSuggestion>

const headerText = text(64_000)
const headerValues = z.record(z.string(), z.union([headerText, z.array(headerText)]))

export const suggestPaginationRoute = defineRoute({
  method: 'POST',
  path: '/v1/pagination-tests/suggestions',
  name: 'suggest_pagination',
  summary: 'Suggest pagination configurations from one response and the request that fetched it',
  access: can('connectors', 'create'),
  chosen: 'free',
  status: 200,
  bodyLimit: 'large',
  body: z.strictObject({
    request: z
      .strictObject({
        url: z
          .url({ protocol: /^https?$/, error: 'must be an absolute URL with http or https' })
          .meta(doc('Absolute URL that was called.', 'https://api.example.com/orders?page=1')),
        method: text(20).meta(doc('HTTP method that was used.', 'GET')),
        query: jsonObject.optional().describe('Query parameters that were sent, by name.'),
        headers: jsonObject.optional().describe('Request headers that were sent, by name.'),
        body: json.optional().describe('Request body that was sent. Defaults to none.'),
        endpoint: text(4_000).optional().describe("The action's endpoint. Defaults to the path of the URL."),
      })
      .describe('The request whose response is examined.'),
    response: z
      .strictObject({
        status: z.int().min(100).max(599).meta(doc('HTTP status code of the response.', 200)),
        headers: headerValues
          .describe('Response headers by name; a repeated header as a list.')
          .meta({ examples: [{ 'content-type': 'application/json' }] }),
        body: json
          .optional()
          .describe('Response body, parsed if it is JSON. If absent or null, there is none.')
          .meta({ examples: [{ orders: [{ id: 1 }, { id: 2 }], page: 1, total_pages: 7 }] }),
      })
      .describe('The first page as the API returned it.'),
    probe: z
      .union([z.strictObject(actionCall), z.strictObject(typedCall)])
      .optional()
      .describe(
        "The call that returned the response. With it, each suggestion's second page is requested until one brings new records; without it nothing is sent.",
      ),
  }),
  result: z.object({
    suggestions: z
      .array(paginationSuggestion)
      .describe('Configurations that fit the response, the most likely first.'),
    advice: z
      .string()
      .nullable()
      .meta(doc('What to try if nothing fits. Null if there are suggestions.', null)),
  }),
})

export const paginationRoutes = {
  suggestPaginationRoute,
  checkPaginationRoute,
  continuePaginationTestRoute,
}
