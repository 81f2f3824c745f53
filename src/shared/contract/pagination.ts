import { z } from 'zod'
import { json, jsonObject, text } from './common.ts'
import { can, defineRoute, defineStream } from './route.ts'

const dictionary = z.union([text(64_000), jsonObject])

/** One configuration; every string is a template. Rules beyond the shape are checked by the engine, with positions. */
export const paginationConfigEntry = z.strictObject({
  query: dictionary.optional(),
  body: dictionary.optional(),
  header: dictionary.optional(),
  response_jsonpath: text(1_000).optional(),
  endpoint: text(4_000).optional(),
  replace_body: z.boolean().optional(),
  when: text(4_000).optional(),
  stop_when: text(4_000).optional(),
  retry_when: text(4_000).optional(),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  max_pages: z.number().int().min(1).optional(),
  allowed_origins: z.array(text(300)).max(20).optional(),
  first_request: z.boolean().optional(),
  dedupe_by: text(1_000).optional(),
})
export const paginationConfig = z.union([paginationConfigEntry, z.array(paginationConfigEntry).max(50)])
export type PaginationConfigEntry = z.output<typeof paginationConfigEntry>
export type PaginationConfig = z.output<typeof paginationConfig>

/** Limits of safety: reaching one is an error that keeps the records read. */
export const paginationLimits = z.strictObject({
  max_pages: z.number().int().min(1).max(1_000_000).optional(),
  max_empty_pages: z.number().int().min(1).max(100_000).optional(),
  max_records: z.number().int().min(1).optional(),
  max_attempts: z.number().int().min(1).max(20).optional(),
  backoff_base_ms: z.number().min(0).max(60_000).optional(),
  max_wait_ms: z.number().min(0).max(86_400_000).optional(),
  max_redirects: z.number().int().min(0).max(20).optional(),
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
] as const
export type StopReason = (typeof STOP_REASONS)[number]

const page = z.number().int().min(0)
const headers = z.record(z.string(), z.string())

export const paginationEvent = z.discriminatedUnion('type', [
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
}

export const paginationTestBody = z.union([
  z.strictObject({
    connector_id: z.string(),
    action: z.string(),
    auth_id: z.string().optional(),
    input: jsonObject.optional(),
    pagination_config: json.optional(),
    ...wishes,
  }),
  z.strictObject({
    request: z.strictObject({
      base_url: z.string(),
      endpoint: z.string(),
      method: z.string().optional(),
      query: jsonObject.optional(),
      headers: jsonObject.optional(),
      body: json.optional(),
      supports_automatic_pagination: z.boolean().optional(),
    }),
    pagination_config: json.optional(),
    ...wishes,
  }),
])
export type PaginationTestBody = z.output<typeof paginationTestBody>

/** A configuration refused before any request also answers as a `failed` event. */
export const testPaginationRoute = defineStream({
  method: 'POST',
  path: '/v1/pagination-tests',
  summary: 'Run a pagination configuration and stream what happens, page by page',
  access: can('connectors', 'create'),
  body: paginationTestBody,
  event: paginationEvent,
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

export const paginationSuggestion = z.object({
  style: z.enum(PAGINATION_STYLES),
  /** A sentence that names the key or the header, and its value. */
  reason: z.string(),
  config: paginationConfigEntry,
  confidence: z.enum(['high', 'medium', 'low']),
})
export type PaginationSuggestion = z.output<typeof paginationSuggestion>

const headerValues = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

export const suggestPaginationRoute = defineRoute({
  method: 'POST',
  path: '/v1/pagination-tests/suggestions',
  summary: 'Suggest pagination configurations from one response and the request that fetched it',
  access: can('connectors', 'create'),
  status: 200,
  bodyLimit: 'large',
  body: z.strictObject({
    request: z.strictObject({
      url: z.url({ protocol: /^https?$/, error: 'must be an absolute address with http or https' }),
      method: z.string().max(20),
      query: jsonObject.optional(),
      headers: jsonObject.optional(),
      body: json.optional(),
      /** As the action has it; the path of the address where it is absent. */
      endpoint: z.string().max(4_000).optional(),
    }),
    response: z.strictObject({
      status: z.number().int().min(100).max(599),
      headers: headerValues,
      /** Absent or null: there was none. */
      body: json.optional(),
    }),
  }),
  result: z.object({
    /** The most likely first. */
    suggestions: z.array(paginationSuggestion),
    /** What to try where there is none. */
    advice: z.string().nullable(),
  }),
})
