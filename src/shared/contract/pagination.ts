import { z } from 'zod'
import { idParams, json, jsonObject, text } from './base/common.ts'
import { paginationConfigEntry } from './base/pagination-config.ts'
import { can, defineRoute, defineStream } from './base/route.ts'

/** Limits of safety: reaching one is an error that keeps the records read. */
export const paginationLimits = z.strictObject({
  max_pages: z.number().int().min(1).max(1_000_000).optional(),
  max_empty_pages: z.number().int().min(1).max(100_000).optional(),
  max_records: z.number().int().min(1).optional(),
  max_attempts: z.number().int().min(1).max(20).optional(),
  backoff_base_ms: z.number().min(0).max(60_000).optional(),
  max_wait_ms: z.number().min(0).max(86_400_000).optional(),
  max_redirects: z.number().int().min(0).max(20).optional(),
  /** How long a 429 that names no time is tried again. With `max_attempts` given, that holds instead. */
  rate_limit_patience_ms: z.number().min(0).max(86_400_000).optional(),
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

const page = z.number().int().min(0)
const headers = z.record(z.string(), z.string())
const keysDown = z.array(z.union([z.string(), z.number().int()]))

/** What one `{{ … }}` put into a template. */
export const takenValue = z.object({
  /** The expression as written. */
  source: z.string(),
  /** Null too where it is missing. */
  value: json.nullable(),
  missing: z.boolean(),
})

/** One template of a configuration, before and after. */
export const renderedTemplate = z.object({
  /** `query`, or `[1].query` in a list. */
  field: z.string(),
  source: json,
  /** Null where it renders to nothing. */
  value: json.nullable(),
  taken: z.array(takenValue),
})

/** What a test tells only where its body asks for it by `include`. */
const paginationDetails = [
  /** How the request of this page is made, told before it is sent, or why there is none. */
  z.object({
    type: z.literal('plan'),
    page,
    config_index: z.number().int().nullable(),
    /** The conditions that were asked, in order; the first that holds is the last. */
    conditions: z.array(z.object({ config_index: z.number().int(), when: z.string(), holds: z.boolean() })),
    templates: z.array(renderedTemplate),
    /** `page`, `endpoint`, `count`, `last_record`, `links`. */
    variables: z.record(z.string(), json),
    request: z.object({ method: z.string(), url: z.string(), headers, body: json.nullable() }).nullable(),
    stop_reason: z.enum(STOP_REASONS).nullable(),
  }),
  /** What the response before it held. */
  z.object({
    type: z.literal('body'),
    page,
    /** At most 1,000,000 characters of it. */
    text: z.string(),
    truncated: z.boolean(),
    /** Lists whose elements became records, by the keys that lead there; empty where the text is cut. */
    lists: z.array(keysDown),
    /** Values that became records themselves. */
    records: z.array(keysDown),
  }),
] as const

/** What a test tells that can be paused. */
const paginationPauses = [
  z.object({ type: z.literal('started'), id: z.string() }),
  /** Nothing more is sent, from the request of this page on, until the test is continued. */
  z.object({ type: z.literal('paused'), page }),
] as const

export const paginationEvent = z.discriminatedUnion('type', [
  ...paginationDetails,
  ...paginationPauses,
  z.object({
    type: z.literal('request'),
    page,
    attempt: z.number().int(),
    method: z.string(),
    url: z.string(),
    headers,
    body: json.nullable(),
    config_index: z.number().int().nullable(),
  }),
  z.object({
    type: z.literal('response'),
    page,
    status: z.number().int(),
    headers,
    duration_ms: z.number(),
    bytes: z.number().int(),
    records: z.number().int(),
    total_records: z.number().int(),
  }),
  z.object({
    type: z.literal('retry'),
    page,
    attempt: z.number().int(),
    reason: z.string(),
    wait_ms: z.number(),
  }),
  /** With a field: about the configuration, found before the first request; `done` does not count these. */
  z.object({
    type: z.literal('warning'),
    page,
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    line: z.number().int().optional(),
    column: z.number().int().optional(),
  }),
  z.object({ type: z.literal('records'), page, records: z.array(json) }),
  z.object({ type: z.literal('output'), value: json }),
  z.object({
    type: z.literal('done'),
    pages: z.number().int(),
    total_records: z.number().int(),
    stop_reason: z.enum(STOP_REASONS),
    warnings: z.array(z.string()),
    duration_ms: z.number(),
  }),
  z.object({
    type: z.literal('failed'),
    error: z.object({
      code: z.enum(PAGINATION_ERROR_CODES),
      message: z.string(),
      page: z.number().int().optional(),
      status: z.number().int().optional(),
      partial_count: z.number().int().optional(),
      field: z.string().optional(),
      line: z.number().int().optional(),
      column: z.number().int().optional(),
    }),
  }),
])
export type PaginationEvent = z.output<typeof paginationEvent>

const wishes = {
  /** Wishes: reaching one is a success with the warning `cut_by_max_pages`. */
  max_pages: z.number().int().min(1).optional(),
  max_records: z.number().int().min(1).optional(),
  limits: paginationLimits.optional(),
  /** Tells more: how each request is made, and what each response held. */
  include: z.array(z.enum(['plan', 'body'])).optional(),
  /** Makes a test that can be paused, and pauses it after so many pages; null: not before it is told to. */
  pause_after: z.number().int().min(1).nullable().optional(),
}

/** What is called: an action of a connector, or a request that is typed. */
const actionCall = {
  connector_id: text(200),
  action: text(100),
  auth_id: text(200).optional(),
  input: jsonObject.optional(),
}
const typedCall = {
  request: z.strictObject({
    base_url: text(4_000),
    endpoint: text(4_000),
    method: text(20).optional(),
    query: jsonObject.optional(),
    headers: jsonObject.optional(),
    body: json.optional(),
    supports_automatic_pagination: z.boolean().optional(),
  }),
}

export const paginationTestBody = z.union([
  z.strictObject({ ...actionCall, pagination_config: json.optional(), ...wishes }),
  z.strictObject({ ...typedCall, pagination_config: json.optional(), ...wishes }),
])
export type PaginationTestBody = z.output<typeof paginationTestBody>

/** A configuration refused before any request also answers as a `failed` event. */
export const testPaginationRoute = defineStream({
  method: 'POST',
  path: '/v1/pagination-tests',
  name: 'test_pagination',
  summary: 'Run a pagination configuration and stream what happens, page by page',
  access: can('connectors', 'create'),
  body: paginationTestBody,
  event: paginationEvent,
})

export const continuePaginationTestRoute = defineRoute({
  method: 'POST',
  path: '/v1/pagination-tests/:id/continue',
  summary: 'Let a paused pagination test go on, or pause one that runs',
  access: can('connectors', 'create'),
  status: 204,
  params: idParams,
  /** So many pages more, 0 to pause before the next one, null for all of them. */
  body: z.strictObject({ pages: z.number().int().min(0).nullable() }),
})

export const configProblem = z.object({
  /** Only an `error` keeps a configuration from being saved and run. */
  severity: z.enum(['error', 'warning', 'hint']),
  code: z.string(),
  message: z.string(),
  /** `query`, `query.cursor`, or `[1].query` in a list; empty: the whole configuration. */
  field: z.string(),
  /** Inside the field's text, from 1. */
  line: z.number().int().nullable(),
  column: z.number().int().nullable(),
})
export type ConfigProblem = z.output<typeof configProblem>

export const checkPaginationRoute = defineRoute({
  method: 'POST',
  path: '/v1/pagination-tests/checks',
  name: 'check_pagination',
  summary: 'Check a pagination configuration without sending anything',
  access: can('connectors', 'create'),
  status: 200,
  body: z.strictObject({
    pagination_config: json,
    /** Names of the input, which templates may read too. */
    input_names: z.array(text(200)).max(200).optional(),
  }),
  result: z.object({ problems: z.array(configProblem) }),
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
  style: z.enum(PAGINATION_STYLES),
  /** A sentence that names the key or the header, and its value. */
  reason: z.string(),
  config: paginationConfigEntry,
  confidence: z.enum(['high', 'medium', 'low']),
  /** What came of its one request, if it was checked with one: only `new_records` shows that it works. */
  second_page: z.enum(SECOND_PAGES).optional(),
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
  status: 200,
  bodyLimit: 'large',
  body: z.strictObject({
    request: z.strictObject({
      url: z.url({ protocol: /^https?$/, error: 'must be an absolute address with http or https' }),
      method: text(20),
      query: jsonObject.optional(),
      headers: jsonObject.optional(),
      body: json.optional(),
      /** As the action has it; the path of the address where it is absent. */
      endpoint: text(4_000).optional(),
    }),
    response: z.strictObject({
      status: z.number().int().min(100).max(599),
      headers: headerValues,
      /** Absent or null: there was none. */
      body: json.optional(),
    }),
    /**
     * The call that gave the response. With it each suggestion is checked with one request, that of its second page, until one
     * brings new records; without it nothing is sent.
     */
    probe: z.union([z.strictObject(actionCall), z.strictObject(typedCall)]).optional(),
  }),
  result: z.object({
    /** The most likely first. */
    suggestions: z.array(paginationSuggestion),
    /** What to try where there is none. */
    advice: z.string().nullable(),
  }),
})
