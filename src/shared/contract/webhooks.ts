import { doc } from './base/doc.ts'
import { type Spoken } from './base/message.ts'
import { z } from 'zod'
import { idParams, json, keyedListQuery, searchText, text, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'
import { latestAttempt, webhookAttempt } from './reach/forwards.ts'

/**
 * The webhook is mounted separately, because it has a raw body, its own order of checks and its own response
 * format.
 */
export const WEBHOOK_PATH = '/v1/flow-webhook'

/**
 * The outcome for a request that matched a hold. `passed` means that too many were held already, `timed_out` that
 * nobody decided in time. Both continued unchanged, like `released`.
 */
export const HOLD_ENDS = ['released', 'edited', 'answered', 'dropped', 'timed_out', 'passed'] as const
export type HoldEnd = (typeof HOLD_ENDS)[number]

export const WEBHOOK_OUTCOMES = ['run', 'rejected', 'filtered', 'handshake', 'held'] as const

export const webhookRequest = z.object({
  id: z.string().describe('ID of the webhook request.'),
  flow_id: z.string().nullable().describe('ID of the flow that was called. Null if no flow has this URL.'),
  at: timestamp.describe('When the request arrived, in UTC.'),
  status: z.int().meta(doc('HTTP status of the response.', 200)),
  outcome: z
    .enum(WEBHOOK_OUTCOMES)
    .describe(
      'What the request led to: a `run`, or none, because it was `rejected`, `filtered` by `run_if` of the webhook, the `handshake` of a service that checks the URL, or `held` and answered or dropped by hand.',
    ),
  reason: z.string().nullable().meta(doc('Why the request started no run. Null if it did.', null)),
  method: z.string().meta(doc('HTTP method of the request.', 'POST')),
  path: z
    .string()
    .describe('Path of the request, query included.')
    .meta({ examples: ['/v1/flow-webhook/7c9e6679-7425-40de-944b-e07fc1f90ae7'] }),
  headers: z
    .record(z.string(), z.string())
    .meta(doc('Request headers by name. Secrets read `***`.', { 'content-type': 'application/json' })),
  size: z
    .int()
    .describe(
      'Size of the body in bytes. If it was rejected unread: the size that the caller announced, or what was read until it was too large, or 0.',
    ),
  client: z.string().meta(doc('IP address of the caller.', '127.0.0.1')),
  flow_run_id: z.string().nullable().describe('ID of the run that was started. Null if there is none.'),
  title: z
    .string()
    .nullable()
    .meta(doc("Title of that run: the flow's name until the run ends. Null if there is none.", 'Order 4711')),
  duration_ms: z.number().describe('Time until the response was sent, in milliseconds.'),
  hold: z
    .enum(HOLD_ENDS)
    .nullable()
    .describe(
      'How it left a hold: `released` unchanged, `edited`, `answered` by hand, `dropped` without a response, `timed_out` (released after 25 s) or `passed` (20 were held already). Null if none was set for it.',
    )
    .meta({ examples: [null] }),
})
export type WebhookRequest = z.output<typeof webhookRequest> & Spoken

/** A row of the list. It includes the beginning of the body if requested. */
const listedRequest = webhookRequest.extend({
  forwarded: latestAttempt
    .nullable()
    .describe('The latest attempt to send it to a local program. Null if there was none.')
    .meta({ examples: [null] }),
  preview: z
    .string()
    .nullable()
    .optional()
    .describe(
      'The first 200 characters of the body, on one line. Secrets read `***`. Null if the body is empty, not text, or too large to be read for each row. Absent unless requested.',
    )
    .meta({ examples: ['{"id": 4711}'] }),
  match: z
    .object({
      snippet: z.string().describe('The text around the match, on one line.'),
      marks: z
        .array(z.tuple([z.int(), z.int()]))
        .describe('Matched ranges of the snippet as `[from, to]`, in UTF-16 units.'),
    })
    .nullable()
    .optional()
    .describe(
      'Where the words of `text` are in the body, the path or the reason. Null if they are elsewhere, such as in a step of the run. Only present with `text` and `preview=true`.',
    ),
})
export type ListedRequest = z.output<typeof listedRequest> & Spoken

export const listWebhookRequestsRoute = defineRoute({
  method: 'GET',
  path: '/v1/webhook-requests',
  summary: 'List webhook requests, accepted and rejected, newest first; text=… searches their content',
  access: can('flow_runs', 'read'),
  chosen: 'own',
  status: 200,
  query: keyedListQuery.extend({
    text: searchText(
      'Words to find in the runs that requests started, in their bodies as a whole, or in the path of a request. Of those without a run, also in reason, headers and body.',
    ),
    preview: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` adds `preview`, the beginning of the body, to each request. Default: `false`.'),
  }),
  result: z.array(listedRequest),
})

export const listPausedCountsRoute = defineRoute({
  method: 'GET',
  path: '/v1/webhook-requests/paused',
  name: 'list_paused_counts',
  summary: 'Count the requests to paused flows; nothing else of them is kept',
  access: can('flow_runs', 'read'),
  chosen: 'own',
  status: 200,
  result: z.array(
    z.object({
      flow_id: z.string().describe('ID of the paused flow.'),
      count: z.int().meta(doc('How many requests reached it while it was paused.', 7)),
      last_at: timestamp.describe('When the last of them arrived, in UTC.'),
    }),
  ),
})

/** The response that a caller received. */
export const webhookAnswer = z.object({
  status: z.int().meta(doc('HTTP status that the caller got.', 200)),
  headers: z
    .record(z.string(), z.string())
    .meta(doc('Response headers by name.', { 'content-type': 'application/json' })),
  body: z.string().nullable().meta(doc('Response body as text. Null if there was none.', '{"total": 19.8}')),
  truncated: z.boolean().meta(doc('True if the body was shortened for the run history.', false)),
})
export type WebhookAnswer = z.output<typeof webhookAnswer>

export const BODY_KINDS = ['json', 'form', 'multipart', 'xml', 'text', 'none'] as const
export type BodyKind = (typeof BODY_KINDS)[number]

/** A key of the input, and the part of the request it came from. */
const inputKey = z.object({
  name: z.string().meta(doc('Name of the input key.', 'id')),
  from: z
    .enum(['body', 'query', 'both'])
    .describe("The part of the request that the key came from. If `both`, the query's value is used."),
  lost: json
    .optional()
    .describe("The body's value, which the query's value replaced. Absent if nothing was replaced."),
})
export type InputKey = z.output<typeof inputKey>

const receivedBody = z.object({
  encoding: z
    .enum(['text', 'hex'])
    .describe("`text`, or `hex` (two digits per byte) if the bytes aren't UTF-8."),
  body: z.string().meta(doc('The body after decompression. Secrets read `***`.', '{"id": 4711}')),
  truncated: z.boolean().meta(doc('True if the body was shortened for the run history.', false)),
  kind: z
    .enum(BODY_KINDS)
    .nullable()
    .describe("What the body was read as. Null if it can't be parsed again."),
  input: json
    .describe(
      "The object that the flow was started with. Null if the body of a rejected request can't be read.",
    )
    .meta({ examples: [{ id: 4711 }] }),
  keys: z.array(inputKey).describe("The input's keys and where each came from."),
})
export type ReceivedBody = z.output<typeof receivedBody>

export const webhookRequestDetail = z.object({
  request: webhookRequest.describe('The request as it is listed.'),
  received: receivedBody
    .nullable()
    .describe(
      "The body as it arrived. Null if it wasn't kept. Of a rejected request, up to 64 KB are kept if the body can't be read or its signature is wrong.",
    ),
  answer: webhookAnswer
    .nullable()
    .describe(
      "The response. Null if it wasn't kept. A rejected request's response is rebuilt from its reason.",
    ),
  original: z
    .object({
      method: z.string().meta(doc('HTTP method of the request.', 'POST')),
      path: z.string().meta(doc('Path of the request, query included.', '/v1/flow-webhook/7c9e6679?page=1')),
      headers: z
        .record(z.string(), z.string())
        .meta(doc('Request headers by name. Secrets read `***`.', { 'content-type': 'application/json' })),
      encoding: receivedBody.shape.encoding,
      body: receivedBody.shape.body,
      truncated: receivedBody.shape.truncated,
    })
    .nullable()
    .describe('The request as it arrived, if it was edited while it was held. Otherwise null.')
    .meta({ examples: [null] }),
  attempts: z
    .array(webhookAttempt)
    .describe('Each time it was sent to a local program, oldest first. Secrets read `***`.')
    .meta({ examples: [[]] }),
  is_waiting: z
    .boolean()
    .meta(doc('True if it is kept until the program that it is forwarded to listens.', false)),
  rate_limit: z
    .object({
      used: z.int().meta(doc('Requests that the caller has sent in the current window.', 4)),
      limit: z.int().meta(doc('Requests that the caller can send per window.', 300)),
      resets_at: timestamp.meta(doc('When the window ends, in UTC.', '2026-03-01T12:05:00.000Z')),
    })
    .nullable()
    .describe(
      'How much of the rate limit the caller has used. Null if there is no limit or its window has ended.',
    ),
})
export type WebhookRequestDetail = z.output<typeof webhookRequestDetail>

export const readWebhookRequestRoute = defineRoute({
  method: 'GET',
  path: '/v1/webhook-requests/:id',
  summary: 'Read a webhook request: its body as received, the input read from it, and the response',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  result: webhookRequestDetail,
})

/** The number of latest requests that a condition is tried on. */
const TRIED_REQUESTS = 20

export const tryWebhookConditionRoute = defineRoute({
  method: 'POST',
  path: '/v1/flows/:id/webhook-condition',
  name: 'try_webhook_condition',
  summary: `Count how many of the latest ${TRIED_REQUESTS} kept requests of a webhook meet a condition; nothing runs`,
  access: can('flows', 'update'),
  status: 200,
  params: idParams,
  body: z.strictObject({
    condition: text(10_000)
      .describe('Condition on the input and `webhook`, as in `run_if` or the filter of a forward.')
      .meta({ examples: ['{{ web1.type == "invoice.paid" }}'] }),
    ref_id: text(100)
      .optional()
      .describe('Name of the input in the condition. Default: the reference name of the webhook step.')
      .meta({ examples: ['web1'] }),
  }),
  result: z.object({
    tried: z.int().meta(doc('How many kept requests it was tried on.', TRIED_REQUESTS)),
    met: z.int().meta(doc('How many of them meet it.', 12)),
    problem: z
      .string()
      .nullable()
      .meta(doc("Why it can't be evaluated for the newest of those that fail. Null if none does.", null)),
  }),
})
export type TriedCondition = z.output<typeof tryWebhookConditionRoute.result> & Spoken

export const readRunAnswerRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/answer',
  name: 'answer_of_flow_run',
  summary:
    'Read the response of a run: what the caller of its webhook got, or would get if it is a test or a replay',
  access: can('flow_runs', 'read'),
  status: 200,
  item: true,
  params: idParams,
  result: webhookAnswer,
})

export const webhookRequestRoutes = {
  listWebhookRequestsRoute,
  listPausedCountsRoute,
  readWebhookRequestRoute,
  tryWebhookConditionRoute,
  readRunAnswerRoute,
}
