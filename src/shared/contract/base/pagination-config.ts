/** The pagination configuration of an action, a step or the tester. */
import { PAGINATION_METHODS } from './http-methods.ts'
import { z } from 'zod'
import { jsonObject, origin, text } from './common.ts'

const dictionary = z.union([text(64_000), jsonObject])

/** The formats in which a response's body can be read. */
export const RESPONSE_FORMATS = ['json', 'ndjson', 'csv', 'tsv', 'xml', 'text'] as const
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number]

/**
 * One configuration. Every string is a template. The engine checks rules that a schema can't express, and reports the
 * positions of problems.
 */
export const paginationConfigEntry = z.strictObject({
  query: dictionary
    .optional()
    .describe(
      "Query parameters of each pagination call. They replace the action's parameters of the same name; null removes one.",
    ),
  body: dictionary
    .optional()
    .describe(
      "Body of each pagination call, merged over the action's body key by key. The calls become `POST`.",
    ),
  raw_body: text(64_000)
    .optional()
    .describe(
      'Body of each pagination call as text, instead of an action body that is text or XML. The calls become `POST`. In XML, inserted values are escaped.',
    ),
  header: dictionary
    .optional()
    .describe(
      "Request headers of each pagination call. They replace the action's headers of the same name; null removes one.",
    ),
  response_jsonpath: text(1_000)
    .optional()
    .describe(
      'JSONPath of the records, in the first response too. If absent or `$`, the response is the list.',
    ),
  response_format: z
    .enum(RESPONSE_FORMATS)
    .optional()
    .describe(
      'How responses are read, whatever their Content-Type: `json`, `ndjson` (one JSON value per line), `csv`, `tsv`, `xml` or `text`. If absent, Content-Type decides.',
    ),
  delimiter: text(10)
    .optional()
    .describe('Character between the values of CSV, such as `;` or `tab`. Defaults to a comma.'),
  endpoint: text(4_000)
    .optional()
    .describe("URL of every call after the first, instead of the action's endpoint."),
  replace_body: z
    .boolean()
    .optional()
    .describe("True sends only the pagination body, without the action's body."),
  when: text(4_000)
    .optional()
    .describe('Condition. In a list of configurations, the first whose condition is true is used.'),
  stop_when: text(4_000)
    .optional()
    .describe('Condition checked before each pagination call. If it is true, the list is complete.'),
  retry_when: text(4_000)
    .optional()
    .describe('Condition checked on each response. If it is true, the call is repeated as if it had failed.'),
  method: z
    .enum(PAGINATION_METHODS)
    .optional()
    .describe('HTTP method of pagination calls. Defaults to `POST` if there is a `body`, else `GET`.'),
  max_pages: z
    .int()
    .min(1)
    .optional()
    .describe('Read at most this many pages. The run succeeds with the warning `cut_by_max_pages`.'),
  allowed_origins: z
    .array(origin)
    .max(20)
    .optional()
    .describe("Origins besides the connector's own that can be called with its credentials."),
  first_request: z
    .boolean()
    .optional()
    .describe(
      'True uses the configuration for the first call too, with `page` = 0 and no previous response.',
    ),
  dedupe_by: text(1_000)
    .optional()
    .describe('JSONPath inside a record. Records whose value was seen before in this run are left out.'),
  ends_on_status: z
    .array(z.int().min(300).max(599))
    .max(20)
    .optional()
    .describe(
      'Status codes such as `[404, 416]` that end the list without an error, after at least one good page.',
    ),
  cursor_may_be_absent: z
    .boolean()
    .optional()
    .describe(
      'True if the API leaves out the cursor when there is a single page. Otherwise such a list is in doubt (`cursor_never_seen`).',
    ),
  list_may_be_absent: z
    .boolean()
    .optional()
    .describe(
      'True if the API leaves out the list when it is empty. Otherwise a later page without it puts the list in doubt (`list_missing`).',
    ),
  min_interval_ms: z
    .number()
    .min(0)
    .max(600_000)
    .optional()
    .describe('Minimum time from the start of one call to the start of the next, in milliseconds.'),
})
/** The ways to handle a list that may be incomplete. */
export const WHEN_IN_DOUBT = ['warn', 'fail'] as const

export const paginationConfig = z.union([paginationConfigEntry, z.array(paginationConfigEntry).max(50)])
export type PaginationConfigEntry = z.output<typeof paginationConfigEntry>
export type PaginationConfig = z.output<typeof paginationConfig>
