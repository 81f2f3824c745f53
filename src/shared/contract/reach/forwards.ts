/**
 * Forwarding of webhook requests to a local program: a flow's settings for it, each attempt, and sending requests
 * again.
 */
import { z } from 'zod'
import { idParams, nonEmptyText, text, timestamp } from '../base/common.ts'
import { doc } from '../base/doc.ts'
import { LIMITS } from '../base/limits.ts'
import { can, defineRoute, defineStream } from '../base/route.ts'

export const RESPONDERS = ['flow', 'program', 'first', 'fixed'] as const
export type Responder = (typeof RESPONDERS)[number]

/** No other names are allowed, so nothing is resolved: these three only ever mean this computer. */
const localUrl = text(2_000)
  .regex(
    /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(?:[/?][!-~]*)?$/i,
    'must be a URL of this computer: http(s)://127.0.0.1, localhost or [::1], with a port and a path',
  )
  .describe('URL of the local program: `127.0.0.1`, `localhost` or `[::1]`, with port and path.')
  .meta({ examples: ['http://localhost:3000/hooks/stripe'] })

export const FORWARD_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export const forward = z.strictObject({
  url: localUrl,
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'False keeps the settings, but forwards nothing. Requests that wait are sent once it is true again, within 24 hours.',
    ),
  pass_query: z
    .boolean()
    .default(true)
    .describe("True adds the query of the request to the URL's own, without the webhook token."),
  methods: z
    .array(z.enum(FORWARD_METHODS))
    .min(1)
    .nullable()
    .default(null)
    .describe('Which methods are forwarded. Null means all that the webhook accepts.')
    .meta({ examples: [null] }),
  filter: text(2_000)
    .nullable()
    .default(null)
    .describe(
      'Template that decides which requests are forwarded; it reads the input by the name of the webhook step, and `webhook`. Null means all.',
    )
    .meta({ examples: ['{{ order.type == "invoice.paid" }}'] }),
  respond: z
    .enum(RESPONDERS)
    .default('program')
    .describe(
      'Who answers the caller: `flow`, `program`, `first` (whichever answers first) or `fixed` (the `fixed` response). The flow always runs.',
    ),
  fixed: z
    .strictObject({
      status: z.int().min(200).max(599).default(200).describe('HTTP status of the fixed response.'),
      headers: z
        .record(nonEmptyText(100), text(2_000))
        .default({})
        .meta(doc('Headers by name.', { 'content-type': 'text/plain' })),
      body: text(65_536).default('').meta(doc('Body as text.', 'ok')),
    })
    .nullable()
    .default(null)
    .describe('Response for `fixed`. Null means 200 without a body.')
    .meta({ examples: [null] }),
  keep_when_closed: z
    .boolean()
    .default(false)
    .describe(
      'True keeps requests while nobody listens on the port, for up to 24 hours, and sends them in order once it opens. With `program`, their callers get a 202.',
    ),
  keep_host: z
    .boolean()
    .default(false)
    .describe("True passes on the caller's Host header. False sends that of the URL."),
})
export type Forward = z.output<typeof forward>

const forwardState = z.object({
  forward: forward.nullable().describe("How the flow forwards requests. Null means that it doesn't."),
  waiting: z.int().meta(doc('Requests that are kept until the port opens.', 0)),
})
export type ForwardState = z.output<typeof forwardState>

export const readForwardRoute = defineRoute({
  method: 'GET',
  path: '/v1/flows/:id/forward',
  summary: "Read how the requests of a flow's webhook are forwarded to a local program",
  access: can('flows', 'read'),
  status: 200,
  item: true,
  params: idParams,
  result: forwardState,
})

export const updateForwardRoute = defineRoute({
  method: 'PUT',
  path: '/v1/flows/:id/forward',
  summary: "Forward the requests of a flow's webhook to a local program; absent keys get their default",
  access: can('flows', 'update'),
  status: 200,
  item: true,
  params: idParams,
  body: forward,
  result: forwardState,
})

export const deleteForwardRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/flows/:id/forward',
  summary: 'Stop forwarding; requests that are kept for the port are no longer sent',
  access: can('flows', 'update'),
  status: 204,
  params: idParams,
})

/** One attempt to send a request to a local program. */
export const webhookAttempt = z.object({
  at: timestamp.describe('When it was sent, in UTC.'),
  kind: z
    .enum(['forward', 'retry', 'replay'])
    .describe('`forward`: as it arrived; `retry`: once the port opened; `replay`: sent again by somebody.'),
  url: z.string().meta(doc('URL of the local program.', 'http://localhost:3000/hooks/stripe')),
  status: z.int().nullable().meta(doc('HTTP status of its response. Null if there was none.', 200)),
  duration_ms: z.number().meta(doc('Milliseconds until the response was complete.', 4.2)),
  error: z.string().nullable().meta(doc('Why there was no complete response. Null if there was one.', null)),
  answered_caller: z.boolean().meta(doc('True if the caller of the webhook got this response.', true)),
  headers: z
    .record(z.string(), z.string())
    .meta(doc('Response headers by name.', { 'content-type': 'application/json' })),
  body: z
    .string()
    .nullable()
    .meta(doc('The first 64 KB of the response body as text. Null if there was none.', '{"ok": true}')),
  size: z.int().meta(doc('Size of the response body in bytes.', 12)),
})
export type WebhookAttempt = z.output<typeof webhookAttempt>

/** The details of the latest attempt in a row of the list. */
export const latestAttempt = webhookAttempt.pick({
  kind: true,
  status: true,
  duration_ms: true,
  error: true,
  answered_caller: true,
})

const moment = z.iso.datetime({ offset: true })

/** The outcome of sending one request again. */
export const webhookReplay = z.object({
  request_id: z.string().meta(doc('ID of the webhook request.', '8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b')),
  attempt: webhookAttempt
    .nullable()
    .describe("What the program answered. Null if the request wasn't sent.")
    .meta({ examples: [null] }),
  reason: z.string().nullable().meta(doc("Why it wasn't sent. Null if it was.", null)),
  is_signed: z.boolean().meta(doc('True if it was sent with a new signature.', true)),
  is_exact: z
    .boolean()
    .meta(
      doc(
        'True if it was sent byte for byte. False if it was never forwarded before: with header names in lower case, and not compressed.',
        true,
      ),
    ),
  first: z
    .object({
      from: z
        .enum(['program', 'millrace'])
        .describe(
          '`program`: the first response of a local program; `millrace`: the response to the caller.',
        ),
      status: z.int().meta(doc('Its HTTP status.', 200)),
      duration_ms: z.number().meta(doc('How many milliseconds it took.', 3.8)),
    })
    .nullable()
    .describe('The first response, which the new one is compared with. Null if there was none.'),
  body: z
    .enum(['same', 'different', 'unknown'])
    .describe('Whether both bodies are the same. `unknown` if there is no first one, or one was not kept.'),
  difference: z
    .object({
      at: z.int().meta(doc('How many characters are the same.', 8)),
      before: z.string().meta(doc('What the first body has there: up to 60 characters.', '19.8}')),
      now: z.string().meta(doc('What the new body has there.', '21.5}')),
    })
    .nullable()
    .describe('Where the bodies differ first. Secrets read `***`. Null if they are the same or unknown.')
    .meta({ examples: [null] }),
})
export type WebhookReplay = z.output<typeof webhookReplay>

export const replayWebhookRequestsRoute = defineStream({
  method: 'POST',
  path: '/v1/webhook-requests/replay',
  name: 'replay_webhook_requests',
  summary: 'Send webhook requests again, to a local program, in the order they came; streams each response',
  access: can('flows', 'update'),
  chosen: 'own',
  body: z
    .strictObject({
      to: z
        .union([z.int().min(1).max(65_535), localUrl])
        .describe(
          'Port of the local program, or its URL. With a port, the path is the one that the request was last sent to, or that its flow forwards to.',
        )
        .meta({ examples: [3000] }),
      ids: z
        .array(text(200))
        .min(1)
        .max(LIMITS.replayedRequests)
        .optional()
        .describe('IDs of the webhook requests. Without them, all from `since` to `until` are sent.')
        .meta({ examples: [['8f14e45f-ceea-467f-9b8a-6c1f2d3e4a5b']] }),
      since: moment
        .optional()
        .describe('Send the requests that arrived at this time or later and were not rejected.'),
      until: moment.optional().describe('Only those that arrived before this time. Defaults to now.'),
      flow_id: text(200).optional().describe('Only those of the flow with this ID.'),
      sign: z
        .boolean()
        .default(false)
        .describe(
          "True signs each request again, with the current time, by `signature` of its flow's webhook step. Without a secret, it isn't sent.",
        ),
      keep_rhythm: z
        .boolean()
        .default(false)
        .describe('True waits between two requests as long as their first callers did, up to an hour.'),
    })
    .refine(({ ids, since }) => (ids === undefined) !== (since === undefined), {
      error: 'is required unless since is sent; send only one of them',
      path: ['ids'],
    }),
  event: webhookReplay,
})

export const forwardRoutes = { readForwardRoute, updateForwardRoute, deleteForwardRoute }
