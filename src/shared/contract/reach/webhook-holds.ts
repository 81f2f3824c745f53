/** Requests that are held before a flow runs, so that a user can inspect, change or answer them. */
import { doc } from '../base/doc.ts'
import { z } from 'zod'
import { idParams, text, timestamp } from '../base/common.ts'
import { can, defineRoute } from '../base/route.ts'

export const HELD_WHAT = ['next', 'matching'] as const

export const webhookHold = z.object({
  flow_id: z.string().describe('ID of the flow whose webhook holds requests.'),
  what: z
    .enum(HELD_WHAT)
    .describe('`next`: the next request, once; `matching`: all that match, until the hold is removed.'),
  filter: z
    .string()
    .describe(
      'Condition on the input and `webhook`, as the templates of the flow read them. Leave empty for every request.',
    )
    .meta({ examples: ['{{ web1.type == "invoice.paid" }}'] }),
  set_at: timestamp.meta(doc('When it was set, in UTC.', '2026-03-01T12:00:00.000Z')),
})
export type WebhookHold = z.output<typeof webhookHold>

const ENCODINGS = ['text', 'base64'] as const

export const heldRequest = z.object({
  id: z.string().describe('ID of the held request, until it is decided.'),
  flow_id: z.string().describe('ID of the flow that was called.'),
  at: timestamp.describe('When the request arrived, in UTC.'),
  releases_at: timestamp.meta(
    doc('When it is released unchanged if nobody decides, in UTC.', '2026-03-01T12:00:25.000Z'),
  ),
  method: z.string().meta(doc('HTTP method of the request.', 'POST')),
  path: z.string().meta(doc('Path of the request, query included.', '/v1/flow-webhook/7c9e6679')),
  headers: z
    .record(z.string(), z.string())
    .meta(doc('Request headers by name. Secrets read `***`.', { 'content-type': 'application/json' })),
  encoding: z.enum(ENCODINGS).describe("`text`, or `base64` if the bytes aren't UTF-8."),
  body: z.string().meta(doc('The body after decompression. Secrets read `***`.', '{"id": 4711}')),
  size: z.int().meta(doc('Size of the body as sent, in bytes.', 12)),
  client: z.string().meta(doc('IP address of the caller.', '127.0.0.1')),
})
export type HeldRequest = z.output<typeof heldRequest>

const name = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headers = z
  .record(
    text(200).regex(name, 'must be the name of a header'),
    text(16_000).regex(/^[^\0\r\n]*$/, 'must be on one line'),
  )
  .refine((all) => Object.keys(all).length <= 200, 'must have at most 200 headers')

/** Limit in characters of text or base64. */
const MOST_BODY = 67_108_864

export const setWebhookHoldRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id/hold',
  name: 'set_webhook_hold',
  summary: "Hold the next request of a flow's webhook, or every one that matches; forgotten at a restart",
  access: can('flows', 'update'),
  status: 200,
  params: idParams,
  body: z.strictObject({
    what: webhookHold.shape.what,
    filter: text(10_000)
      .default('')
      .describe(webhookHold.shape.filter.description ?? '')
      .meta({ examples: ['{{ web1.type == "invoice.paid" }}'] }),
  }),
  readOnly: ['flow_id', 'set_at'],
  result: webhookHold,
})

export const removeWebhookHoldRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/flows/:id/hold',
  name: 'remove_webhook_hold',
  summary: "Hold no more requests of a flow's webhook; those that are held stay so",
  access: can('flows', 'update'),
  status: 204,
  params: idParams,
})

export const listWebhookHoldsRoute = defineRoute({
  method: 'GET',
  path: '/v1/webhook-holds',
  summary: 'List the flows whose webhooks hold requests, and the requests that are held now',
  access: can('flow_runs', 'read'),
  chosen: 'own',
  status: 200,
  item: true,
  result: z.object({
    set: z.array(webhookHold).describe('What is held when it arrives.'),
    held: z.array(heldRequest).describe('Requests that wait for a decision, oldest first.'),
  }),
})
export type WebhookHolds = z.output<typeof listWebhookHoldsRoute.result>

export const releaseHeldRequestRoute = defineRoute({
  method: 'POST',
  path: '/v1/webhook-holds/:id/release',
  name: 'release_held_request',
  summary: 'Let a held request go, unchanged or with other parts; the history keeps the original',
  access: can('flow_runs', 'create'),
  chosen: 'own',
  status: 204,
  params: idParams,
  bodyOptional: true,
  bodyLimit: 'large',
  body: z.strictObject({
    method: text(20).optional().meta(doc('Another method. It must be one that the webhook accepts.', 'POST')),
    query: text(8_000)
      .regex(/^(?:\?[!-~]*)?$/, 'must be empty or begin with ?, without spaces')
      .optional()
      .meta(doc('Another query, with its `?`. Leave empty for none.', '?page=2')),
    headers: headers
      .optional()
      .describe('All headers, by name. A value that is left as it is shown stays what it is, `***` included.')
      .meta({ examples: [{ 'content-type': 'application/json' }] }),
    encoding: z.enum(ENCODINGS).default('text').describe('How `body` is written.'),
    body: text(MOST_BODY).optional().meta(doc('Another body, not compressed.', '{"id": 4712}')),
  }),
})

export const answerHeldRequestRoute = defineRoute({
  method: 'POST',
  path: '/v1/webhook-holds/:id/answer',
  name: 'answer_held_request',
  summary: 'Answer a held request yourself; the flow does not run',
  access: can('flow_runs', 'create'),
  chosen: 'own',
  status: 204,
  params: idParams,
  bodyLimit: 'large',
  body: z.strictObject({
    status: z.int().min(200).max(599).meta(doc('HTTP status of the response.', 422)),
    headers: headers
      .default({})
      .meta(doc('Response headers by name.', { 'content-type': 'application/json' })),
    body: text(MOST_BODY).default('').meta(doc('Response body.', '{"error": "no such order"}')),
  }),
})

export const dropHeldRequestRoute = defineRoute({
  method: 'POST',
  path: '/v1/webhook-holds/:id/drop',
  name: 'drop_held_request',
  summary: 'Close the connection of a held request without a response; the flow does not run',
  access: can('flow_runs', 'create'),
  chosen: 'own',
  status: 204,
  params: idParams,
})

export const webhookHoldRoutes = {
  setWebhookHoldRoute,
  removeWebhookHoldRoute,
  listWebhookHoldsRoute,
  releaseHeldRequestRoute,
  answerHeldRequestRoute,
  dropHeldRequestRoute,
}
