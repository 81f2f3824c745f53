import { z } from 'zod'
import { idParams, json, keyedListQuery, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

/** The webhook itself is mounted by hand: raw body, its own order of checks, its own answer. */
export const WEBHOOK_PATH = '/v1/flow-webhook'

export const webhookRequest = z.object({
  id: z.string(),
  flow_id: z.string().nullable(),
  at: timestamp,
  /** The status answered. */
  status: z.number().int(),
  /** Why it was refused; null where it ran. */
  reason: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  size: z.number().int(),
  client: z.string(),
  flow_run_id: z.string().nullable(),
  duration_ms: z.number(),
})
export type WebhookRequest = z.output<typeof webhookRequest>

export const listWebhookRequestsRoute = defineRoute({
  method: 'GET',
  path: '/v1/webhook-requests',
  summary: 'List webhook requests, received and refused, newest first',
  access: can('flow_runs', 'read'),
  status: 200,
  query: keyedListQuery,
  result: z.array(webhookRequest),
})

export const listPausedCountsRoute = defineRoute({
  method: 'GET',
  path: '/v1/webhook-requests/paused',
  name: 'list_paused_counts',
  summary: 'Count the requests that reached paused flows; nothing else of them is kept',
  access: can('flow_runs', 'read'),
  status: 200,
  result: z.array(z.object({ flow_id: z.string(), count: z.number().int(), last_at: timestamp })),
})

/** What a caller was told. */
export const webhookAnswer = z.object({
  status: z.number().int(),
  headers: z.record(z.string(), z.string()),
  /** Null for an answer without a body. */
  body: z.string().nullable(),
  /** True where the body was shortened for the history. */
  truncated: z.boolean(),
})
export type WebhookAnswer = z.output<typeof webhookAnswer>

export const BODY_KINDS = ['json', 'form', 'multipart', 'xml', 'text', 'none'] as const

/** A name of the input, and what of the request brought it. */
const inputKey = z.object({
  name: z.string(),
  /** Where both did, the query's value is the one that counts. */
  from: z.enum(['body', 'query', 'both']),
  /** The body's value, which the query's took the place of; absent where nothing was lost. */
  lost: json.optional(),
})
export type InputKey = z.output<typeof inputKey>

const receivedBody = z.object({
  /** `hex` where the bytes are no UTF-8: two digits a byte. */
  encoding: z.enum(['text', 'hex']),
  /** Without its content encoding; secrets read `***`. */
  body: z.string(),
  truncated: z.boolean(),
  /** What it was read as; null where it cannot be read a second time. */
  kind: z.enum(BODY_KINDS).nullable(),
  /** The dictionary that the flow was started with. */
  input: json,
  keys: z.array(inputKey),
})
export type ReceivedBody = z.output<typeof receivedBody>

export const webhookRequestDetail = z.object({
  request: webhookRequest,
  /** Null where its body was not kept: it was refused, or its run is not stored any more. */
  received: receivedBody.nullable(),
  /** Null where it was not kept. That of a refused request is made again from its reason. */
  answer: webhookAnswer.nullable(),
  /** How much of the limit its sender has used; null where there is no limit, or its window is over. */
  rate_limit: z.object({ used: z.number().int(), limit: z.number().int(), resets_at: timestamp }).nullable(),
})
export type WebhookRequestDetail = z.output<typeof webhookRequestDetail>

export const readWebhookRequestRoute = defineRoute({
  method: 'GET',
  path: '/v1/webhook-requests/:id',
  summary: 'Read a webhook request: its body as it came, what was read from it, the answer sent',
  access: can('flow_runs', 'read'),
  status: 200,
  params: idParams,
  result: webhookRequestDetail,
})

export const readRunAnswerRoute = defineRoute({
  method: 'GET',
  path: '/v1/flow-runs/:id/answer',
  name: 'answer_of_flow_run',
  summary: 'Read what a run answered to its webhook, or would answer where it is a replay',
  access: can('flow_runs', 'read'),
  status: 200,
  item: true,
  params: idParams,
  result: webhookAnswer,
})
