import { z } from 'zod'
import { keyedListQuery, timestamp } from './common.ts'
import { can, defineRoute } from './route.ts'

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
